"""Credentials that can be told by their own form: keys and tokens as their providers publish them.

`TABLE` (and its second half in `secret_service_forms`) is data: a line of rule, name for
people, literals of which one must occur, and source; under it, indented, the pattern,
each line an alternative. A literal is looked for before its pattern is compiled, so a
text pays only for what it could hold. Where a pattern has a group `secret`, only that is
the secret. Shorthands: <word> is a letter, digit, _ or -, <alnum> a letter or digit,
<hex> a small hex digit, <uuid> a UUID, <end> where no letter or digit follows. Lengths are
lower bounds, since providers lengthen their tokens; every quantifier is bounded.

Source is the provider's own page; `gss` is GitHub's published list of secret scanning
patterns, where providers register their prefixes (docs.github.com/code-security/
secret-scanning/introduction/supported-secret-scanning-patterns); "own docs" the
documentation of the services named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memcli.text.secrets.provider_forms_services import SERVICE_TABLE
from memcli.text.secrets.randomness import is_stand_in

Span = tuple[int, int, str, str]

# Between the lines of an armoured key: line ends as they are, or as the escapes of a JSON text.
_BETWEEN = r"(?:[\s\"'`,+|>#*]|\\[nr])"
_SHORTHANDS = {
    "<word>": r"[A-Za-z0-9_-]",
    "<alnum>": r"[A-Za-z0-9]",
    "<hex>": r"[0-9a-f]",
    "<uuid>": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "<end>": r"(?![A-Za-z0-9])",
    "<between>": _BETWEEN,
    "<close>": rf"(?:{_BETWEEN}{{0,8}}-----END [A-Za-z0-9 ]{{1,40}}-----)?",
    "<armour>": rf"(?:{_BETWEEN}{{0,8}}(?:[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{1,80}}|[A-Za-z0-9+/=]{{8,4000}}|=[\w+/]{{4}})){{1,400}}",
}
# A token begins where no letter or digit goes before, but for the n of an escaped line end.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"

TABLE = r"""
# Private keys and hashes; the end of a key may be cut off.
private-key | private key | PRIVATE OpenVPN | rfc-editor.org/rfc/rfc7468
    -----BEGIN (?:[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----<armour><close>
ssh2-key | private key | SSH2 | RFC 4716
    ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----<armour>
putty-key | private key | Private-Lines: | tartarus.org/~simon/putty-snapshots/htmldoc/AppendixC.html
    Private-Lines: \d{1,4}\s{1,4}(?P<secret>[A-Za-z0-9+/=]{4,80}(?:\s{1,4}[A-Za-z0-9+/=]{4,80}(?![\w:-])){0,199})
age-key | age key | AGE-SECRET-KEY- | age-encryption.org/v1
    AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{30,2000}
jwt | JSON web token | eyJ | RFC 7519
    eyJ[\w-]{10,4000}\.(?:eyJ|[\w-])[\w-]{8,8000}(?:\.[\w-]{10,4000}){0,3}
password-hash | password hash | $2 $1$ $apr1$ $5$ $6$ $y$ $argon2 pbkdf2 {SSHA | crypt(5)
    \$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}
    \$(?:[156]|apr1)\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}
    \$y\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}
    \$argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{1,60}\$[+/\w]{1,90}\$[+/\w]{16,180}
    pbkdf2_sha\d{1,3}\$\d{1,9}\$[+/\w]{1,60}\$[+/\w=]{20,120}
    \{SSHA\d{0,3}\}[A-Za-z0-9+/=]{28,120}
# Code, packages and builds.
github-token | GitHub token | ghp_ gho_ ghu_ ghs_ ghr_ | github.blog/2021-04-05 (new token formats)
    gh[pousr]_<alnum>{30,255}
github-token | GitHub token | github_pat_ | gss
    github_pat_\w{22,255}
gitlab-token | GitLab token | glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt- GR1348941 | docs.gitlab.com/security/tokens/
    gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-<word>{16,300}(?:\.<word>{2,40}){0,3}
    GR1348941<word>{18,100}
bitbucket-token | Bitbucket token | ATBB BBDC- | gss
    ATBB<alnum>{24,60}
    BBDC-[A-Za-z0-9+/]{40,60}
atlassian-token | Atlassian token | ATATT3 ATCTT3 ATOA | gss
    AT(?:ATT3|CTT3|OA)<word>{24,400}(?:=[0-9A-F]{8})?
npm-token | npm token | npm_ | github.blog/2021-09-23 (npm token format)
    npm_<alnum>{30,80}
pypi-token | PyPI token | pypi- | docs.pypi.org/api/secrets/
    pypi-<word>{16,1000}
rubygems-key | RubyGems key | rubygems_ | gss
    rubygems_<hex>{40,64}
nuget-key | NuGet key | oy2 | gss
    oy2[a-z0-9]{43}
crates-token | crates.io token | cio | gss
    cio<alnum>{32}(?!<alnum>)
clojars-token | Clojars token | CLOJARS_ | gss
    CLOJARS_<hex>{60}
docker-token | Docker token | dckr_ | gss
    dckr_[po]at_<word>{20,100}
artifactory-key | Artifactory key | AKC cmVmdGtu | gss
    AKC[a-zA-Z]<alnum>{30,100}
    cmVmdGtu<alnum>{40,80}
circleci-token | CircleCI token | CCIP | gss
    CCIP(?:AT|RJ)_<word>{16,100}
buildkite-token | Buildkite token | bkua_ bkaj_ bkct_ bkpt_ bkat_ | gss
    bk(?:ua|aj|ct|pt|at)_<word>{32,100}
sonar-token | SonarQube token | sqa_ sqp_ squ_ | gss
    sq[apu]_<hex>{40}
sourcegraph-token | Sourcegraph token | sgp_ sgd_ slk_ | gss
    (?:sg[pd]|slk)_(?:<word>{1,20}_)?<hex>{40,64}
postman-key | Postman key | PMAK- | gss
    PMAK-<hex>{24}-<hex>{34}
launchdarkly-key | LaunchDarkly key | sdk- api- mob- | gss
    (?:sdk|api|mob)-<uuid>
readme-key | ReadMe key | rdme_ | gss
    rdme_[a-z0-9]{50,90}
thunderstore-token | Thunderstore token | tss_ | gss
    tss_<alnum>{30,60}
# Clouds and hosting.
aws-access-key | AWS access key | AKIA ASIA ABIA ACCA AROA AIDA AGPA A3T | docs.aws.amazon.com (IAM identifiers)
    (?:A(?:KIA|SIA|BIA|CCA|ROA|IDA|GPA|IPA|NPA|NVA)|A3T[A-Z0-9])[A-Z0-9]{16}(?!<alnum>)
aws-secret-key | AWS secret key | ecret ECRET | docs.aws.amazon.com/IAM
    (?:[Aa][Ww][Ss]|[Aa]mazon|AMAZON).{0,20}[Ss](?:ecret|ECRET)\w{0,20}[\"']?\s{0,4}(?:=>|[:=])\s{0,4}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![\w/+])
aws-session-token | AWS session token | IQoJ FwoG FQoG | STS API reference
    (?:IQoJ|FwoG|FQoG)[A-Za-z0-9+/=]{80,4000}
aws-bedrock-key | AWS Bedrock key | ABSK bedrock-api-key- | gss
    (?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{40,2000}
amazon-secret | Amazon secret | amzn | gss
    amzn(?:\.mws\.<uuid>|1\.oa2-cs\.v1\.<hex>{64})
azure-key | Azure key | AccountKey SharedAccess Secret= accountkey AZURE | learn.microsoft.com (connection strings)
    (?:[Aa]ccount[Kk]ey|SharedAccessKey|SharedSecretKey|SharedAccessSignature|;\s{0,4}Secret)\s{0,4}[=:]\s{0,4}[\"']?(?P<secret>[A-Za-z0-9+/%&=_.-]{24,400})
azure-sas | Azure shared access signature | sig= | learn.microsoft.com (SAS)
    (?<=[?&;])sig=(?P<secret>[A-Za-z0-9%+/_-]{30,120}={0,2})
azure-client-secret | Azure client secret | Q~ | gss
    [\w~.-]{3}\dQ~[\w~.-]{31,34}
azure-key | Azure key | JQQJ99 AZDO AzSe AzCa AzFu +ASt +ABa +AMC +ARm ACDb AIoT APIM | github.com/microsoft/security-utilities
    <alnum>{40,76}JQQJ99<alnum>{16,40}
    <alnum>{70,78}AZDO<alnum>{4}(?!<alnum>)
    [A-Za-z0-9+/_-]{32,82}(?:AzSe|AzCa|AzFu|\+ASt|\+ABa|\+AMC|\+ARm|ACDb|AIoT|APIM)[A-Za-z0-9+/_-]{4,10}={0,2}
google-key | Google API key | AIza AQ.Ab | cloud.google.com/docs/authentication/api-keys
    AIza<word>{35}
    AQ\.Ab<word>{40,100}
google-oauth | Google OAuth secret | GOCSPX- | gss
    GOCSPX-<word>{20,60}
google-oauth | Google OAuth token | ya29. | developers.google.com/identity/protocols/oauth2
    ya29\.[\w.-]{16,1000}
google-oauth | Google OAuth token | 1// | developers.google.com/identity/protocols/oauth2
    1//0<word>{40,200}
google-oauth-client | Google OAuth client | googleusercontent | the same
    \d{6,24}-[a-z0-9_]{20,40}(?=\.apps\.googleusercontent\.com)
google-oauth | Google cloud key | GOOG1 | cloud.google.com/storage/docs/authentication/hmackeys
    GOOG1[A-Z0-9]{50,70}
firebase-key | Firebase key | AAAA | firebase.google.com/docs/cloud-messaging
    AAAA<word>{7}:APA91<word>{100,250}
digitalocean-token | DigitalOcean token | _v1_ | docs.digitalocean.com/reference/api
    do[opr]_v1_<hex>{60,64}
heroku-key | Heroku key | HRKU- | devcenter.heroku.com/changelog-items (token prefix)
    HRKU-(?:AA<word>{50,70}|<uuid>)
cloudflare-token | Cloudflare token | v1.0- cfut_ cfk_ cfat_ | developers.cloudflare.com/fundamentals/api
    v1\.0-<hex>{20,40}-<hex>{100,180}
    cf(?:ut|k|at)_<alnum>{40,60}
alibaba-key | Alibaba Cloud key | LTAI | gss
    LTAI<alnum>{12,26}
tencent-key | Tencent Cloud key | AKID | gss
    AKID<alnum>{32}
yandex-key | Yandex Cloud key | AQVN YCAJ t1. y0_ | gss
    AQVN<word>{35,50}
    YCAJ<word>{20,40}
    t1\.[A-Z0-9a-z_-]{1,200}={0,2}\.<word>{80,100}
    y0_<word>{50,60}
scaleway-key | Scaleway key | SCW | gss
    SCW[A-Z0-9]{17}(?!<alnum>)
vercel-token | Vercel token | vcp_ vci_ vck_ vcr_ vca_ vercel_blob | gss
    vc[pikra]_<alnum>{24,80}
    vercel_blob_rw_<word>{30,80}
netlify-token | Netlify token | nfp_ nfc_ nfo_ nfb_ nfu_ | gss
    nf[pcobu]_<alnum>{36,60}
fly-token | Fly.io token | fm1 fm2_ fo1_ | gss
    fm[12][ar]?_[A-Za-z0-9+/=]{60,4000}
    fo1_<word>{30,80}
render-key | Render key | rnd_ | render.com/docs/api
    rnd_<alnum>{28,60}
tailscale-key | Tailscale key | tskey- | tailscale.com/kb/1277/key-prefixes
    tskey-[a-z]{2,12}-<word>{9,100}
ngrok-key | ngrok key | ak_2 cr_2 | gss
    (?:ak|cr)_2<alnum>{26,40}
terraform-token | Terraform token | .atlasv1. | developer.hashicorp.com/terraform/cloud-docs
    <alnum>{14}\.atlasv1\.[\w=-]{50,100}
vault-token | Vault token | hvs. hvb. hvr. | developer.hashicorp.com/vault/docs/concepts/tokens
    hv[sbr]\.<word>{20,400}
vault-token | Vault token | s. b. r. | the same (before 1.10)
    (?<![\w.)\]/@-])[sbr]\.(?=[A-Za-z]*\d)(?=[a-z0-9]*[A-Z])<alnum>{24}(?![\w(.])
pulumi-token | Pulumi token | pul- | gss
    pul-<hex>{40}
doppler-token | Doppler token | dp. | docs.doppler.com/reference/auth-token-formats
    dp\.(?:ct|pt|st|sa|said|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?<alnum>{40,44}
infracost-key | Infracost key | ico- | gss
    ico-<alnum>{32}
prefect-key | Prefect key | pnu_ pnb_ | gss
    pn[ub]_<alnum>{36}
onepassword-key | 1Password key | ops_eyJ A3- | support.1password.com/secret-key-security/
    ops_eyJ<word>{100,2000}=*
    A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
fullstory-key | Fullstory key | na1. eu1. | developer.fullstory.com
    (?:na|eu)1\.[A-Za-z0-9+/]{80,120}={0,2}
fleetbase-key | Fleetbase key | flb_ | own docs
    flb_(?:live|test)_<alnum>{20,60}
# Data.
databricks-token | Databricks token | dapi dkea dose | gss
    (?:dapi|dkea|dose)[0-9a-h]{32}(?:-\d{1,2})?
planetscale-token | PlanetScale token | pscale_ | planetscale.com/docs/concepts/service-tokens
    pscale_(?:tkn|pw|oauth|otkn)_[\w.=-]{30,80}
supabase-key | Supabase key | sbp_ sb_ | supabase.com/docs/guides/api/api-keys
    sbp_(?:v0_|oauth_)?<hex>{36,48}
    sb_secret_<word>{20,60}
neon-key | Neon key | napi_ | neon.com/docs/manage/api-keys
    napi_[a-z0-9]{60,70}
airtable-token | Airtable token | pat key | airtable.com/developers/web/api/authentication
    pat<alnum>{14}\.<hex>{60,64}
    key(?=[a-z]{0,13}[A-Z0-9])<alnum>{14}(?!<word>)
mongodb-service-account | MongoDB service account | mdb_sa_ | mongodb.com/docs/atlas (service accounts)
    mdb_sa_(?:id|sk)_<word>{20,80}
confluent-key | Confluent key | cflt | gss
    cflt[A-Za-z0-9+/]{50,80}
pinecone-key | Pinecone key | pcsk_ | gss
    pcsk_<word>{40,100}
# Models.
anthropic-key | Anthropic key | sk-ant- | gss
    sk-ant-<word>{20,200}
openrouter-key | OpenRouter key | sk-or- | gss
    sk-or-(?:v1-)?<hex>{40,80}
openai-key | OpenAI key | sk- | platform.openai.com/docs/api-reference/authentication
    sk-(?=[A-Za-z_-]{0,120}\d)(?:(?:proj|svcacct|service|admin|None)-)?<word>{20,220}
openai-key | OpenAI key | sess- | gss
    sess-<alnum>{36,60}
hugging-face-token | Hugging Face token | hf_ api_org_ | huggingface.co/docs/hub/security-tokens
    (?:hf|api_org)_<alnum>{30,60}
groq-key | Groq key | gsk_ | gss
    gsk_<alnum>{40,80}
replicate-token | Replicate token | r8_ | gss
    r8_<alnum>{36,42}
perplexity-key | Perplexity key | pplx- | gss
    pplx-<alnum>{32,80}
xai-key | xAI key | xai- | gss
    xai-\w{60,100}
nvidia-key | NVIDIA key | nvapi- | gss
    nvapi-<word>{50,100}
langchain-key | LangSmith key | lsv2_ ls__ | gss
    lsv2_(?:pt|sk)_<hex>{32}_<hex>{10}
    ls__<hex>{32}
langfuse-key | Langfuse key | -lf- | langfuse.com/docs
    [sp]k-lf-<uuid>
model-service-key | API key | fw_ tgp_v1_ jina_ tvly- fc- csk- e2b_ esecret_ pa- sk_ | own docs
    fw_<alnum>{22,40}
    tgp_v1_<word>{40,60}
    jina_<alnum>{50,80}
    tvly-(?:dev-|prod-)?<alnum>{20,60}
    fc-<hex>{32}
    csk-[a-z0-9]{40,60}
    e2b_<hex>{40}
    esecret_<alnum>{24,60}
    pa-<word>{43}(?!<word>)
    sk_<hex>{48}
wandb-key | Weights & Biases key | wandb_v1_ | docs.wandb.ai
    wandb_v1_<word>{60,100}
"""


class Form(NamedTuple):
    """How one kind of credential looks."""

    rule: str
    name: str
    literals: tuple[str, ...]
    pattern: str


def forms(text: str) -> Iterator[Span]:
    """Every credential of a known form with (start, end, rule, name)."""
    for form in table():
        if any(literal in text for literal in form.literals):
            pattern = _compiled(form.pattern)
            for match in pattern.finditer(text):
                group = "secret" if "secret" in pattern.groupindex and match["secret"] else 0
                if not is_stand_in(match[group]):
                    yield *match.span(group), form.rule, form.name


@cache
def table() -> tuple[Form, ...]:
    """Both halves of the table, read."""
    rows: list[Form] = []
    for line in f"{TABLE}{SERVICE_TABLE}".splitlines():
        if line.startswith("    "):
            pattern = line.strip()
            for shorthand, meaning in _SHORTHANDS.items():
                pattern = pattern.replace(shorthand, meaning)
            last = rows[-1]
            rows[-1] = last._replace(pattern=f"{last.pattern}|{pattern}" if last.pattern else pattern)
        elif line and not line.startswith("# "):
            rule, name, literals, _ = line.split(" | ", 3)
            rows.append(Form(rule, name, tuple(literals.replace("~", " ").split()), ""))
    return tuple(rows)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    start = "" if pattern.startswith("-") else _START
    return re.compile(f"{start}(?:{pattern})")
