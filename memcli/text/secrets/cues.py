"""Cues of passwords in prose: words that say that a sentence is about access, in seven languages.

English, German, Dutch, French, Spanish, Italian and Portuguese; pieces of regular expressions for texts in
lower case.
"""

from __future__ import annotations

# Words for the secret itself.
SECRETS = tuple(
    r"""
    pass(?:word|phrase|code|key)?s? pwd? kenn?w(?:o|ö)rt\w{0,2} pas+w(?:o|ö)rt\w{0,2} wachtwoord\w{0,2} losungswort toegangswoord
    zugangsdaten mots?\sde\spasse mdp contraseñas? contrasenhas? senhas? palavra-?\s?passe parola\sd[’']ordine parola\schiave
    credentials? creds secret identifiants inloggegevens credenciales credenziali credenciais
""".split()
)
# Keys and codes, words with many other meanings.
KEYS = tuple(
    r"""
    keys? \w{0,16}schlüssel sleutel clés? claves? clé chiavi? chiave chaves? \w{0,12}codes? códigos? codici codice pins? token jeton word
""".split()
)
# Words for what one logs in to, and for the user name.
ACCESS = tuple(
    r"""
    wi-?fi wlan router box\sinternet ssid hotspot (?:log|sign)(?:s|ged|ging|ing)?[\s-]?(?:in|on)(?:to)? einlogg\w{1,3} eingeloggt
    anmeld\w{0,4} meld\w{0,3}\s\w+\s(?:\w+\s)?mich meld\w{0,3}\s(?:\w+\s)?(?:mich|sich|dich|euch) zugang\w{0,2} inlog\w{0,4} aanmeld\w{0,3} log\s(?:je|ik|u)
    connexion (?:me|se|te|vous|nous)\sconnect\w{1,3} connect[eé]\w{0,3} identifiant acc[eèé]s\w{0,2} iniciar\ssesión inici[ao]\ssesión (?:se\s)?entra\w{0,2}
    acced\w{1,4} accesso acess\w{1,3} aced\w{1,3} portal\w{0,2} \w{2,14}portal portail portale account conto\w? cuenta compte conta usuari[oa]
    utente usuário utilizador utilisateur benutzer\w{0,4} gebruiker\w{0,4} user(?:name|id)?s? admin(?:istrator)? root intranet mailbox vpn
    utilis\w{1,3} lets\syou\son get\sinto joins? connects?(?:\sto)? staging databases? datenbank nas sftp ftp ssh smtp imap
    gateway bitwarden keepass\w* 1password lastpass master fritz!?box livebox freebox speedport digid elster (?:se\s)?entr(?:o|er|iamo|i)
    base\sde\sdonn[eé]es base\sde\sdatos base\sdi\sdati base\sde\sdados
""".split()
)
# Verbs of unlocking.
UNLOCKS = tuple(
    r"""
    (?:un)lock(?:s|ed|ing)? entsperr\w{0,8} freischalt\w{1,3} aufsperr\w{1,3} ontgrendel\w{0,3} déverrouill\w{1,5} desbloque\w{0,3} sblocc\w{0,3}
    sblocco desbloqueio ouvre se\sabre si\sapre
""".split()
)
DEVICES = tuple(
    r"""
    laptop tablet phone computer pc mac ipad iphone rechner handy computer ordinateur ordi téléphone móvil ordenador portátil
    telefono cellulare telefone telemóvel computador mailbox e-?mail netflix spotify steam tresor vault apps? sites? website page seite webseite pagina página
    network netzwerk netz réseau rete red rede netwerk kasse till caisse caja cassa caixa kassa terminal drucker printer imprimante impresora stampante impressora
""".split()
)
# Words directly before the value.
LINKS = tuple(
    r"""
    is are was be ist sind lautet heißt est sont es son è é sono são eh says? said wants? reads? lit spelt spelled with mit met avec con com by per mediante
    via enter type use put punch tippe\w? tippt gib eingeben typ t?yp[et]\w? tape[zr]? taper met(?:s|tez|tre)? saisi\w{0,3} composer pon\w{0,3} teclea\w{0,2} escrib\w{1,3} marca\w{0,2}
    metti digita\w{0,2} inserisc\w{1,3} scriv\w{1,3} digit\w{1,3} põe coloca\w? escrev\w{1,3} then dann danach dahinter dan daarna puis ensuite luego
    después poi dopo depois always immer altijd toujours siempre sempre still noch nog encore now
""".split()
)
# Words before a value that only looks like a password: the name of a user, a network, an order, a part.
OTHERS = tuple(
    r"""
    users?(?:\s?names?|\s?id)? account(?:\sname)? benutzer\w{0,6} gebruiker\w{0,6} utilisateur usuario usuário utente utilizador handles? nick(?:name)? alias pseudo apodo network netz(?:werk)?(?:\sheißt)? réseau
    red rete rede netwerk ssid called (?:re)?named(?:\sto)? namens umbenannt\sin (?:re)?nomm[ée]e? rebaptisée? llamad[ao] renombrad[ao](?:\s(?:a|como))? chiamat[ao] rinominat[ao](?:\sin)? chamad[ao] genaamd hernoemd\snaar hostname host server serveur servidor version\w? versión versione versão release build commit
    orders? bestell\w{0,8} bestelling commande pedido ordine encomenda part\w{0,8} artikel\w{0,8} teile?nummer pièce pieza pezzo peça
    serial seriennummer série serie modell? modelo modello modèle invoice rechnung\w{0,8} factuur facture factura fattura fatura
    tracking sendung\w{0,8} envío spedizione ref(?:erence|erentie|erenz|érence|erencia|erência)?s? riferimento booking
    ticket issue batch charge lot lote lotto plate kennzeichen kenteken plaque matrícula targa isbn sku vin imei asin
    hash checksum digest fingerprint branch file datei fichier fichero archivo bestand tag revision rev flight flug vol vuelo volo voo
    dossier\w{0,8} aktenzeichen kunden\w{0,8} mitglied\w{0,8} klant\w{0,8} client cliente member\w{0,4} license\splate unit ext extension ids? kennung
""".split()
)
# Words of sentences about secrets in general.
ABOUT = r"\b(?:public[ -]keys?|pubkey|öffentliche\w* schlüssel|publieke sleutel|clé publique|clave pública|chiave pubblica|chave pública|at least|must|mindestens|minstens|au moins|al menos|almeno|pelo menos|characters?|zeichen|tekens|caractères|caracteres|caratteri|e\.g\.|for example|z\. ?b\.|such as|like|par exemple|por ejemplo|per esempio)\b"


def whole_word(*lists: tuple[str, ...]) -> str:
    """Return the pattern of any of these words as a whole word."""
    return rf"(?<![^\W_])(?:{'|'.join(word for words in lists for word in words)})(?![^\W_])"
