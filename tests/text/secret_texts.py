"""Texts with and without secrets, one a line, whose random parts are drawn when a test runs.

In a text with secrets each stands between « and »; ⏎ is a line's end. A random part is {kind:length}
(see `ALPHABETS`), {uuid}, {word} or {pass}: nothing that looks like a secret lies in this file.
"""

from __future__ import annotations

import random
import re
import string
from typing import NamedTuple

ALPHABETS = {
    "x": string.ascii_letters + string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "n": "123456789",
    "l": string.ascii_lowercase,
    "L": string.ascii_lowercase + string.digits,
    "A": string.ascii_uppercase,
    "U": string.ascii_uppercase + string.digits,
    "t": string.ascii_uppercase + "234567",
    "z": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "s": "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ123456789",
}
WORDS = "tulip marigold pebble lantern walnut harbour otter violet thistle cobalt".split()
# Of the published list of BIP 39.
SEED = (
    "zebra quantum lobster abandon canyon fossil ivory kidney marble noodle orbit puzzle rabbit salmon"
    " tornado umbrella velvet wagon yellow acid bamboo cactus dolphin eagle"
).split()


class Filled(NamedTuple):
    """A text, and its secrets in their order."""

    text: str
    secrets: list[str]

    def without(self, mark: str = "*") -> str:
        """The text with each of its secrets replaced by a mark."""
        rest, parts = self.text, []
        for secret in self.secrets:
            before, rest = rest.split(secret, 1)
            parts += [before, mark]
        return "".join([*parts, rest])


def filled(line: str, chance: random.Random) -> Filled:
    """A line with its random parts drawn."""

    def drawn(part: re.Match[str]) -> str:
        kind, length = part[1], part[2]
        if kind == "uuid":
            return "-".join("".join(chance.choices(ALPHABETS["h"], k=size)) for size in (8, 4, 4, 4, 12))
        if kind == "word":
            return chance.choice(WORDS)
        if kind == "pass":
            return chance.choice(WORDS).title() + str(chance.randint(10, 9999)) + chance.choice("!*%")
        if kind == "seed":
            return " ".join(chance.sample(SEED, k=int(length)))
        # Digits, capitals and small letters are all in it, as chance nearly always has it.
        size, alphabet = int(length), ALPHABETS[kind]
        sure = [
            chance.choice([letter for letter in alphabet if test(letter)])
            for test in (str.isdigit, str.isupper, str.islower)
            if size >= 8 and any(map(test, alphabet))
        ]
        letters = [*sure, *sure, *chance.choices(alphabet, k=size)][:size]
        chance.shuffle(letters)
        return "".join(letters)

    text = re.sub(r"\{(uuid|word|pass|seed(?=:)|[A-Za-z](?=:))(?::(\d+))?\}", drawn, line.replace("⏎", "\n"))
    return Filled(re.sub("[«»]", "", text), re.findall("«(.*?)»", text, re.DOTALL))


def lines(block: str) -> list[str]:
    """The lines of a block, without headings."""
    return [line for line in block.strip("\n").splitlines() if line.strip() and not line.startswith("# ")]


PASSWORDS = """
# Connection strings.
host=db user=bob password=«{word}»
dbname=shop user=app password=«{word}» host=10.0.0.4 port=5432
host=db.local port=5432 user='bob' password='«{word} {word}»'
connect with "host=pg1 user=report password=«{pass}» sslmode=require"
mysql://app:«pw»@host/db
the dsn is mysql://app:«x1»@10.0.0.4:3306/shop?charset=utf8
postgres://bob:«{word}»@localhost:5432/shop
postgresql+psycopg2://bob:«{pass}»@db/shop
postgres://bob:«p@{word}»@db.local/shop
jdbc:postgresql://db:5432/shop?user=bob&password=«{word}»
jdbc:postgresql://db:5432/shop?user=bob&password=«{word}»&ssl=true
jdbc:mysql://bob:«{word}»@db/shop
jdbc:sqlserver://db:1433;databaseName=x;user=sa;password=«{pass}»;encrypt=true
jdbc:oracle:thin:scott/«{word}»@//db:1521/orcl
jdbc:oracle:thin:app/«{pass}»@db:1521:orcl
Driver={ODBC Driver 17 for SQL Server};Server=db;Uid=sa;Pwd=«{word}»;
Data Source=db;User ID=sa;Password=«{word}»;Initial Catalog=shop
Server=db;Database=x;User Id=app;Pwd=«{pass}»
Provider=SQLOLEDB;Data Source=db;Initial Catalog=x;UID=bob;PWD=«{word}»
amqp://guest:«{word}»@mq:5672/
amqps://app:«{x:18}»@rabbit.example.org/vhost
redis://:«{word}»@cache:6379/0
rediss://default:«{x:24}»@cache.example.org:6380
smtp://me:«{word}»@mail.example.org:587
smtps://me%40example.org:«{pass}»@mail.example.org
mongodb+srv://app:«{pass}»@cluster0.ab1cd.mongodb.net/shop
mongodb://app:«{word}»@h1:27017,h2:27017/shop?replicaSet=rs0
ftp://bob:«{word}»@files.example.org/in
sftp://bob:«{word}»@files.example.org
ldap://cn=admin:«{word}»@ldap.example.org
https://bob:«{word}»@git.example.org/repo.git
https://oauth2:«{x:20}»@gitlab.example.org/a/b.git
socks5://bob:«{word}»@proxy:1080
http_proxy=http://bob:«{word}»@proxy:3128
clickhouse://default:«{word}»@ch:9000/x
mssql+pyodbc://sa:«{pass}»@db/x?driver=ODBC
snowflake://bob:«{word}»@acct/db
# Commands.
wget --user=bob --password=«{word}» https://example.org/a
wget --http-user bob --http-password=«{word}» https://example.org/a
wget --http-password «{word}» https://example.org
curl -u bob:«{word}» https://example.org
curl --user 'bob:«{word} {word}»' https://example.org
curl -sSu bob:«{word}» https://example.org
curl -X POST https://example.org/api -u "bob:«{pass}»"
curl --proxy-user bob:«{word}» https://example.org
http -a bob:«{word}» GET example.org
mysql -p«Secret» shop
mysql -u root -p«{word}» shop
mysqldump -uroot -p'«{pass}»' --all-databases
mysql --user=root --password=«{word}» shop
sshpass -p «{word}» ssh me@host
sshpass -p'«{pass}»' scp a me@host:
sshpass -p«{word}» ssh me@host
PGPASSWORD=«{word}» psql -h db
export MYSQL_PWD=«{word}»
MYSQL_ROOT_PASSWORD=«{word}» docker compose up
RESTIC_PASSWORD=«{pass}» restic backup ~
docker run -e POSTGRES_PASSWORD=«{word}» -d postgres
docker login -u bob -p «{word}» registry.example.org
redis-cli -h cache -a «{word}» ping
mongosh -u bob -p «{word}» --host db
ldapsearch -x -D cn=admin,dc=x -w «{word}» -b dc=x
smbclient //nas/share -U bob%«{word}»
mount -t cifs //nas/share /mnt -o username=bob,password=«{word}»
net use z: \\\\nas\\share «{pass}» /user:bob
openssl enc -aes-256-cbc -pass pass:«{word}» -in a
openssl pkcs12 -in a.p12 -passin pass:«{pass}»
gpg --batch --passphrase «{word}» -c a
unzip -P «{word}» a.zip
zip -P «{word}» a.zip b
7z x -p«{word}» a.7z
htpasswd -b .htpasswd bob «{word}»
echo «{word}» | sudo -S apt update
echo "bob:«{word}»" | chpasswd
sqlcmd -S db -U sa -P «{pass}» -Q "select 1"
lftp -u bob,«{word}» ftp.example.org
xfreerdp /v:host /u:bob /p:«{word}»
plink -pw «{word}» bob@host
az login --service-principal -u app -p «{pass}» --tenant t
vault login «{x:26}»
nmcli dev wifi connect Home password «{word}»
keytool -storepass «{word}» -list
kubectl create secret generic db --from-literal=password=«{word}»
git config credential.helper 'echo password=«{word}»'
net user bob «{pass}» /add
# Wi-Fi.
psk="«{word} {word}»"
psk=«{h:64}»
network={ ssid="Home" psk="«{word}{word}»" }
WIFI:T:WPA;S:Home;P:«{word}{word}»;;
wifi password: «{word}{word}»
the WiFi at the cabin: «{pass}» is the password
WPA2 key: «{word}{d:4}»
the wifi key is «{word}{d:4}»
# Prose.
«hunter2» is my password
«{pass}» is the wifi password
«{word}{d:2}» is the password for the router
my password is «{word}»
My password is: «{word}»
my mail password is now «{pass}»
the password of the router is «{pass}»
password for gmail - «{pass}»
pw «{pass}»
pwd: «{word}»
login bob / «{pass}»
log in as bob with password «{word}{d:2}»
username: bob, password: «{word}»
user bob pass «{pass}»
the passphrase of my ssh key is «{word} {word} {word} {d:2}»
I set the password to «{word}{d:3}»
the password was changed from «{word}{d:3}» to «{word}{d:4}»
mein Passwort lautet «{word}{d:2}»
Kennwort: «{word}»
le mot de passe est «{word}{d:2}»
la contraseña es «{word}{d:2}»
la password è «{word}{d:2}»
a senha é «{word}{d:2}»
the PIN for my card is «4711»
my PIN is «2580»
the pin of my phone is «258036»
PIN: «{n:4}»
my card's PIN is «{n:4}»
SIM PIN «{n:4}»
«{n:4}» is my PIN
«{n:4}» is the PIN of the debit card
the door code is «{n:4}»
the garage door code: «{n:6}»
alarm code «{n:4}»
gate code is «{n:4}#»
the code for the safe is «{n:6}»
the safe combination is «12-34-56»
lock combination: «7-21-33»
cvv «{n:3}»
the CVC of the card is «{n:3}»
security code on the back: «{n:3}»
your verification code is «{n:6}»
the one-time code is «{n:6}»
PUK «{n:8}»
my ATM pin is «{n:4}»
# Files.
machine example.org login bob password «{word}»
machine example.org⏎  login bob⏎  password «{word}»
default login anonymous password «{word}»
db.example.org:5432:shop:bob:«{word}»
*:*:*:bob:«{pass}»
//registry.npmjs.org/:_authToken=«{uuid}»
//npm.example.org/:_password="«{b:20}»"
_auth=«{b:26}==»
[client]⏎user=root⏎password=«{word}»
bob:«$apr1${x:8}${x:22}»
bob:«{SHA}{b:27}=»
bob:«$2y$05${x:53}»
bob:«$6${x:16}${x:86}»:19000:0:99999:7:::
root:«$y$j9T${x:22}${x:43}»:19500:0:99999:7:::
{"auths": {"r.example.org": {"auth": "«{b:30}==»"}}}
PrivateKey = «{b:43}=»
PresharedKey = «{b:43}=»
client-key-data: «{b:200}==»
BitLocker recovery key: «{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}-{d:6}»
FileVault recovery key «{U:4}-{U:4}-{U:4}-{U:4}-{U:4}-{U:4}»
google app password: «abcd efgh ijkl mnop»
app-specific password «abqd-efgh-zjkl-mnop»
GitHub recovery codes: «{h:5}-{h:5}⏎{h:5}-{h:5}⏎{h:5}-{h:5}»
my backup codes are «{d:8}, {d:8}, {d:8}»
recovery code: «{U:5}-{U:5}»
"""

TOKENS = """
Authorization: Bearer «{w:40}»
curl -H "Authorization: Bearer «{x:32}»" https://example.org
Authorization: Basic «Ym9iOnR1bGlwMTI=»
Proxy-Authorization: Basic «Ym9iOnR1bGlwMTI=»
Authorization: Token «{h:40}»
X-Api-Key: «{x:32}»
X-Auth-Token: «{x:28}»
Cookie: session=«{x:32}»; theme=dark
Set-Cookie: sid=«{x:40}»; Path=/; HttpOnly
PHPSESSID=«{L:26}»
JSESSIONID=«{H:32}»
the cookie is connect.sid=«s%3A{w:32}.{x:43}»
session token: «{x:40}»
csrftoken=«{x:64}»
the JWT is «eyJ{x:33}.eyJ{x:80}.{w:43}»
otpauth://totp/Acme:bob?secret=«{t:16}»&issuer=Acme
otpauth://hotp/Acme:bob@example.org?issuer=Acme&secret=«{t:32}»&counter=1
TOTP secret: «{t:4} {t:4} {t:4} {t:4}»
my 2FA secret is «{t:32}»
authenticator setup key «{l:4} {l:4} {l:4} {l:4} {l:4} {l:4} {l:4} {l:4}»
my seed phrase is «{seed:12}»
wallet recovery phrase: «{seed:24}»
the 24 words of my Ledger: «{seed:24}»
mnemonic = "«{seed:15}»"
age key «AGE-SECRET-KEY-1{U:58}»
nostr «nsec1{z:58}»
xprv: «xprv9s21ZrQH143K{s:95}»
«-----BEGIN RSA PRIVATE KEY-----⏎{b:64}⏎{b:64}⏎{b:40}==⏎-----END RSA PRIVATE KEY-----»
«-----BEGIN EC PRIVATE KEY-----⏎{b:64}⏎{b:30}=⏎-----END EC PRIVATE KEY-----»
«-----BEGIN ENCRYPTED PRIVATE KEY-----⏎{b:64}⏎-----END ENCRYPTED PRIVATE KEY-----» thanks
«-----BEGIN OPENSSH PRIVATE KEY-----⏎{b:70}⏎{b:70}⏎-----END OPENSSH PRIVATE KEY-----»⏎and more
«-----BEGIN PGP PRIVATE KEY BLOCK-----⏎⏎{b:64}⏎{b:64}⏎={b:4}⏎-----END PGP PRIVATE KEY BLOCK-----»
PuTTY-User-Key-File-3: ssh-ed25519⏎Private-Lines: 1⏎«{b:64}»⏎Private-MAC: x
{"type": "service_account", "private_key": "«-----BEGIN PRIVATE KEY-----\\n{b:64}\\n{b:64}\\n-----END PRIVATE KEY-----»\\n"}
# Providers.
use «ghp_{x:36}» to push
«gho_{x:36}» «ghu_{x:36}»
«ghs_{x:36}» and «ghr_{x:76}»
«github_pat_{x:22}_{x:59}»
GITHUB_TOKEN=«{h:40}»
«glpat-{w:20}» is ours
«glptt-{h:40}»
slack «xoxb-{d:12}-{d:13}-{x:24}»
slack «xoxp-{d:11}-{d:11}-{d:12}-{h:32}»
«xapp-1-A{U:10}-{d:13}-{h:64}»
https://hooks.slack.com/services/«T{U:8}/B{U:8}/{x:24}»
«sk_live_{x:24}»
«rk_live_{x:24}» or «sk_test_{x:24}»
stripe webhook «whsec_{x:32}»
key «AKIA{t:16}» is old
aws_secret_access_key = «{b:40}»
AWS_SESSION_TOKEN=«IQoJb3JpZ2luX2Vj{b:300}==»
«AIza{w:35}»
«GOCSPX-{w:28}»
«ya29.{w:100}»
"client_secret": "«{x:24}»"
AccountKey=«{b:86}==»;EndpointSuffix=core.windows.net
https://x.blob.core.windows.net/c?sv=2024-01-01&sig=«{x:42}%3D»
azure «{x:3}8Q~{x:34}»
DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«{b:86}==»
openai «sk-{x:20}T3BlbkFJ{x:20}»
«sk-proj-{w:74}T3BlbkFJ{w:74}»
«sk-svcacct-{w:60}»
«sk-ant-api03-{w:93}AA»
«hf_{x:34}»
«npm_{x:36}»
«pypi-AgEIcHlwaS5vcmc{w:150}»
«dckr_pat_{w:27}»
«dop_v1_{h:64}»
HEROKU_API_KEY=«{uuid}»
«HRKU-AA{w:58}»
twilio «SK{h:32}»
TWILIO_AUTH_TOKEN=«{h:32}»
«SG.{w:22}.{w:43}»
mailgun «key-{h:32}»
mailchimp «{h:32}-us12»
telegram bot «{n:9}:AA{w:33}»
discord «MTA{x:23}.{w:6}.{w:38}»
https://discord.com/api/webhooks/«{d:18}/{w:68}»
«shpat_{h:32}»
«shpss_{h:32}»
«EAAA{w:60}»
«sq0atp-{w:22}»
«access_token$production${L:16}${h:32}»
braintree «sandbox_{L:8}_{L:16}»
«dapi{h:32}»
DD_API_KEY=«{h:32}»
datadog app key «{h:40}»
«NRAK-{A:27}»
«sntrys_eyJ{x:60}_{b:43}»
https://«{h:32}»@o12345.ingest.sentry.io/67890
«lin_api_{x:40}»
«ntn_{x:46}»
«secret_{x:43}»
«figd_{w:40}»
«ATATT3xFfGF0{w:180}={H:8}»
«sl.u.{w:130}»
facebook «EAAC{x:120}»
twitter bearer «AAAAAAAAAAAAAAAAAAAAA{x:80}»
«{d:18}-{x:40}» is the X access token
VERCEL_TOKEN=«{x:24}»
«vcp_{x:56}»
«nfp_{x:36}»
cloudflare api token «{w:40}»
CF_API_KEY=«{h:37}»
«sbp_{h:40}»
«sb_secret_{w:31}»
«hvs.{w:90}»
«{x:14}.atlasv1.{w:67}»
«pul-{h:40}»
«glsa_{x:32}_{h:8}»
«glc_{b:100}=»
«dp.pt.{x:43}»
«dp.st.prd.{x:43}»
«ops_eyJ{w:250}»
OKTA_API_TOKEN=«00{w:40}»
okta «00aB{w:38}»
ALGOLIA_ADMIN_KEY=«{h:32}»
FASTLY_API_TOKEN=«{w:32}»
«CFPAT-{w:43}»
«pat{x:14}.{h:64}»
asana «1/{d:16}:{h:32}»
«PMAK-{h:24}-{h:34}»
«sdk-{uuid}»
«api-{uuid}» of LaunchDarkly
«pscale_tkn_{w:43}»
«pscale_pw_{w:43}»
«rnd_{x:32}»
«fo1_{w:43}»
FlyV1 «fm2_{b:200}»
«gsk_{x:52}»
«r8_{x:37}»
«pplx-{x:48}»
«xai-{x:80}»
«nvapi-{w:64}»
«sk-or-v1-{h:64}»
«tskey-auth-{x:12}CNTRL-{x:32}»
«rubygems_{h:48}»
«cio{x:32}»
«pcsk_{x:5}_{x:60}»
«lsv2_pt_{h:32}_{h:10}»
«phx_{x:43}»
«re_{x:8}_{x:24}»
«xkeysib-{h:64}-{x:16}»
«rzp_live_{x:14}»
«sgp_{h:40}»
«CCIPAT_{x:22}_{h:40}»
«bkua_{h:40}»
«dt0c01.{U:24}.{U:64}»
«sqp_{h:40}»
adafruit «aio_{x:28}»
«syt_{x:12}_{x:20}_{x:6}»
«pat-na1-{uuid}»
«00D{x:15}!{x:80}»
«LTAI{x:20}»
«AKID{x:32}»
«tfp_{w:44}»
«gldt-{w:20}»
«v1.0-{h:24}-{h:146}»
«ATBB{x:32}»
«wandb_v1_{w:77}»
«napi_{L:64}»
«ATTA{h:64}»
«n8n_api_{h:40}»
«apify_api_{x:36}»
«ddp_{x:36}»
«pat.{w:22}.{h:24}.{x:20}»
«fio-u-{w:64}»
fernet «gAAAAA{w:90}==»
«1000.{h:32}.{h:32}»
«AVNS_{w:19}»
«polar_oat_{x:43}»
«lip_{x:20}»
«zpka_{x:32}_{h:8}»
«waka_{uuid}»
«{h:24}:{h:64}» of our Ghost
wallet «K{s:51}»
«SB{t:54}»
"""

NUMBERS = """
card «4111 1111 1111 1111» till May
my visa is «4111.1111.1111.1111»
mastercard «5500-0000-0000-0004»
pay with «5500_0000_0000_0004»
visa «4111/1111/1111/1111»
visa «4111  1111  1111  1111»
visa «4111–1111–1111–1111»
amex «3782 822463 10005»
amex «3782.822463.10005»
«4111111111111111»
the number is «4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1»
card: «4111-1111 1111-1111»
«4012888888881881», exp 12/29
SSN «123-45-6789»
my social security number is «123 45 6789»
ITIN «912-70-1234»
NINO «QQ 12 34 56 C» or «AB123456C»
IBAN «DE89 3704 0044 0532 0130 00»
«GB82 WEST 1234 5698 7654 32»
iban: «de89370400440532013000»
IBAN «FR14-2004-1010-0505-0001-3M02-606»
Steuer-ID «86095742719»
meine Steueridentifikationsnummer ist «86 095 742 719»
Sozialversicherungsnummer «15 070649 C 103»
NIR «1 51 02 46 102 043 25»
Aadhaar «2341 2341 2346»
my aadhaar number is «234123412346»
PAN «ABCPE1234F»
SIN «046 454 286»
my Social Insurance Number is «046-454-286»
CPF «529.982.247-25»
CPF «52998224725»
DNI «12345678Z»
NIE «X1234567L»
codice fiscale «RSSMRA85T10A562S»
TFN «123 456 782»
my tax file number is «123456782»
BSN «111222333»
AHV «756.9217.0769.85»
rijksregisternummer «85.07.30-033.28»
personnummer «811218-9876»
henkilötunnus «131052-308T»
CPR-nummer «070761-4285»
PESEL «44051401359»
rodné číslo «780123/3540»
CNP «1800101221144»
身份证 «11010519491231002X»
주민등록번호 «900101-1234568»
my number «1234 5678 9018»
RUT «12.345.678-5»
CUIT «20-12345678-6»
CURP «HEGG560427MVZRRL04»
NRIC «S1234567D»
HKID «A123456(3)»
South African ID «8001015009087»
NHS number «943 476 5919»
passport number «C01X00T47»
my passport no. is «533401372»
driver's license number is «D1234567»
fødselsnummer «01019000083»
TC kimlik «10000000146»
NIF «123456789» is my contribuinte
"""

HARMLESS = """
My licence plate is EK 48213
The license plate number of the van is B 4711 XY
# About passwords.
I must rotate my password
the password policy requires 12 characters
reset my password tomorrow
I forgot my password again
my password manager is Bitwarden
my password expires in 90 days
the password must have 8 characters and a digit
change the wifi password when the guests are gone
never share your password with anybody
the password is stored in the vault
my password is long and random
my password is a secret
the password for staging is in 1Password
ask Ann for the wifi password
the wifi password is on a sticker under the router
passwords are hashed with bcrypt
he said that the password is wrong
password: required
the PIN is printed on the letter
my PIN does not work at this ATM
the pin code was changed on Monday
the PIN has 4 digits
pin 13 of the Arduino drives the LED
GPIO pin 17 is the button
the door code changes every month
the exit code is 137
error code 40401 means the key is missing
the area code is 415
zip code 90210
postal code: 10115
country code: 49
the discount code is SUMMER
status code 502 at night
promo code WELCOME10
is my password
what is my password?
wrong password is my guess
safe is my password with him
resetting is the password page's job
that is my password, do not look
my login is bob
user=bob host=db port=5432
password=
password= and so on
the secret of a good dough is patience
the secret is out
the key to the shed hangs in the hall
the token limit is 4096
Bearer tokens expire after an hour
we use basic auth for the staging site
Basic knowledge of Python is enough
bearer of good news
cookies: 250 g flour, 100 g sugar
the session is at 14:00 in room 3
session: 2026-11-21
cookie=yes
the API key lives in Vault under kv/prod
rotate the API keys every quarter
the seed phrase is in the bank's safe
write the recovery phrase on paper, never on a computer
I keep my recovery codes in the safe
recovery code field is too small
seeds: tomato, basil, thyme, sage, mint, dill, chive, leek, kale, beet, corn, pea
the lock combination is known to Ann only
our secret santa is Bob
# Placeholders.
password: <password>
password=$PASSWORD
password=${DB_PASSWORD}
PGPASSWORD="$PGPASSWORD" psql
export API_KEY=<your api key>
api_key: YOUR_API_KEY
password: ********
password: xxxx
password: changeme
password=%PASSWORD%
password={{ vault_password }}
password: !vault secret/db
token: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
postgres://user:password@host/db
postgres://user:pass@localhost/db
postgres://USER:PASSWORD@HOST:5432/DB
postgres://bob:$PGPASSWORD@db/shop
postgres://bob:${PW}@db/shop
mysql://user:****@host/db
https://user:<token>@example.org
redis://cache:6379/0
curl -u bob https://example.org
curl -u "$USER:$PASS" https://example.org
curl -u user:password https://example.org
curl -H "Authorization: Bearer $TOKEN" https://example.org
Authorization: Bearer <token>
Authorization: Basic <credentials>
mysql -u root -p shop
mysql -p
ssh -p 2222 me@host
mkdir -p build/out
docker run -p 8080:80 nginx
docker compose -p shop up
sshpass -f pass.txt ssh me@host
sshpass -e ssh me@host
wget --password-file=pw.txt https://example.org
rsync --password-file=/etc/rsync.pw a b::c
gpg --passphrase-file pw.txt -c a
unzip -p a.zip b.txt
curl -X POST https://example.org/users
psk=<your psk>
//registry.npmjs.org/:_authToken=${NPM_TOKEN}
machine example.org login bob password <password>
vault login -method=oidc
echo done | sudo tee log
docker login registry.example.org
//registry.npmjs.org/:always-auth=true
otpauth://totp/Acme:bob?secret=<secret>&issuer=Acme
sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
AKIAXXXXXXXXXXXXXXXX
-----BEGIN RSA PRIVATE KEY----- ... -----END RSA PRIVATE KEY-----
a PEM key begins with -----BEGIN PRIVATE KEY-----
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
token = os.environ["TOKEN"]
password = config.get("password")
password = input("Password: ")
const password = req.body.password;
if password == expected:
def login(user, password): ...
password: String
# Public or random, and no secret.
the host key is SHA256:{b:43}
ED25519 key fingerprint is SHA256:{b:43}.
256 SHA256:{b:43} me@host (ED25519)
MD5:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}:{h:2}
encrypt it to age1{z:58}
my age public key is age1{z:58}
the recipient's key: age1{z:58}
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC{b:200} me@host
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b:43} me@laptop
my ssh key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b:43}
public key: AAAAC3NzaC1lZDI1NTE5AAAAI{b:43}
ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB{b:86}=
-----BEGIN PUBLIC KEY-----⏎{b:64}⏎{b:64}⏎-----END PUBLIC KEY-----
-----BEGIN CERTIFICATE-----⏎{b:64}⏎{b:64}⏎{b:64}⏎-----END CERTIFICATE-----
-----BEGIN PGP PUBLIC KEY BLOCK-----⏎⏎{b:64}⏎{b:64}⏎={b:4}⏎-----END PGP PUBLIC KEY BLOCK-----
gpg --recv-keys {H:40}
the key id is 0x{H:16}
GPG fingerprint {H:4} {H:4} {H:4} {H:4} {H:4}  {H:4} {H:4} {H:4} {H:4} {H:4}
signed by RSA key {H:40}
https://example.org/page?view=1&id={h:32}
https://example.org/item?id={h:32}&lang=en
https://example.org/a?uid={uuid}
https://example.org/page-{h:32}
https://www.notion.so/team/Plan-{h:32}
https://example.org/watch?v={w:11}
https://docs.example.org/d/{w:44}/edit
https://example.org/x?utm_id={h:24}&page=2
https://cdn.example.org/app.{h:20}.js
https://github.com/a/b/commit/{h:40}
commit {h:40}
fixed in {h:40}
git checkout {h:40}
reverted {h:7}..{h:7}
HEAD is now at {h:9} fix the build
the bad commit was {h:40}, says git bisect
pip install git+https://github.com/a/b@{h:40}
uses: actions/checkout@{h:40}
the request id is {uuid}
device {uuid} is offline
volume UUID={uuid} /data ext4 defaults 0 2
{uuid}
trace {h:32} was slow
span_id={h:16} trace_id={h:32}
sha256={h:64}
sha256:{h:64}
SHA-256 {h:64}  image.iso
{h:64}  image.iso
md5sum {h:32} backup.tar
the checksum is {h:64}
integrity sha512-{b:86}==
--hash=sha256:{h:64}
nginx@sha256:{h:64}
image: ghcr.io/a/b@sha256:{h:64}
docker pull alpine@sha256:{h:64}
etag: "{h:32}"
layer {h:12}: already exists
container {h:12} exited
blake3 {h:64}
crc32 {h:8}
tx 0x{h:64} is confirmed
send it to 0x{h:40}
the bitcoin address is bc1q{z:38}
ISBN 978-3-16-148410-0
ISBN 9780306406157
ISBN-10: 0-306-40615-2
ISSN 2049-3630
EAN 4006381333931
call me at 555-123-4567
call +49 30 901820 after nine
phone +1 (415) 555-2671
my number is +44 7700 900123
fax 0049-89-1234567
order 1234567890123456 has shipped
order no. 302-1234567-1234567
invoice 2026-000123456
tracking 1Z999AA10123456784
ticket #123456789 is closed
meter reading 12345678 on Monday
parcel 00340434161094042557
IMEI 490154203237518
VIN 1HGCM82633A004352
serial number C02XK0AAJG5H
the flight AB1234 leaves at 10:15
case number 1:21-cv-01234
coordinates 52.520008, 13.404954
pi is 3.14159265358979323846
2026-11-21T13:35:53Z
timestamp 1763731200000
port 5432, timeout 30000
192.168.100.200:8443
MAC address 00:1A:2B:3C:4D:5E
2001:0db8:85a3:0000:0000:8a2e:0370:7334
version 1.2.3-rc.1+build.20260101
about 12 345 678 901 people
10 000 000 000 euros
1990 1995 2000 2005 2010
2341 files, 2342 folders and 2346 links
the account of 2024-11-21 is settled
build 20261121.4
CVE-2026-12345678
RFC 7519, section 4.1
GET /api/v1/users/{h:24} 200 12ms
ObjectId("{h:24}")
arn:aws:s3:::bucket/{uuid}
arn:aws:iam::123456789012:role/deploy
i-{h:17} is stopped
subnet-{h:17}, vpc-{h:17}
ami-{h:17} in eu-central-1
sg-{h:17} allows 443
spotify:track:{x:22}
https://open.spotify.com/track/{x:22}?si={h:16}
https://youtu.be/{w:11}
https://www.amazon.com/dp/B08N5WRWNW
https://example.org/a?gclid={w:60}
https://meet.google.com/abc-defg-hij
data:image/png;base64,iVBORw0KGgo{b:200}==
CN=example.org, O=Example, C=DE
ABCDEFGHIJKLMNOPQRSTUVWXYZ
abcdefghijklmnopqrstuvwxyz0123456789
com.example.application.service.UserServiceImpl
src/components/dashboard/widgets/ChartWidget2.tsx
getUserByIdAndPasswordHash2
/usr/lib/x86_64-linux-gnu/libstdc++.so.6
python3.11-venv_3.11.2-6+deb12u5_amd64.deb
Ann's birthday is 1985-10-12
we were 4 1 3 2 in the race
scores: 4 1 1 2 3 4 5 1 2 3
lottery numbers 4 8 15 16 23 42
a1b2c3 is the room's nickname
the safe is 12 cm deep
combination of 3 drugs
NIF is the Nordic film institute
PAN is a Python asset network
the TFN series has 9 books
SIN is 0.5 at 30 degrees
class AB123 of 2026
"""
