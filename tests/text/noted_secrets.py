# ruff: noqa: E501
"""Sentences that note a credential in passing, and sentences that only look so, in seven languages.

In `NOTED` a secret stands between « and »; in `HARMLESS` there is none. All are made up.
"""

NOTED = """
guest network at the studio, you join with «mossy!Teapot31»
The printer's web page wants admin and «Quill_harbour52»
I get into the rota site as p.hollis and then «Wren&barley7»
Staging box: ops_runner with «kelp-Bram8le!», ask before you use it
The allotment padlock is «6041», the numbers stick a bit
Our garden gate opens with «5-2-8-0»
La caja fuerte del taller se abre con «22-8-41»
Mum's alarm is switched off by typing «0319»
The key safe outside the flat opens with «7 then 1 then 9 then 4»
El PIN de la tarjeta es «cuatro siete uno nueve»
the PIN of the fuel card is «four seven one nine»
Der Tresor im Büro geht auf mit «sieben drei neun eins»
Punch «7731#» on the alarm panel when the beeping starts
The pool fence keypad is «B4471» until they reset it in spring
My old phone unlocks with «190263»
Gym locker: «8 1 4 5», second row
Dial the safe left to 12, no: «left 12, right 41, left 7»
the fuel card PIN's «4486»
answer to the security question at the building society is «Bramblewick»
My National Insurance number is «QK 73 10 48 B», for the agency
das WLAN in der Ferienwohnung: Netz DeichBlick und dann «Krabbe!brot44»
Am Schulportal meld ich mich mit k.wiebe an, danach «Mond?Kutter61»
Der Gartenschuppen hat ein Zahlenschloss, «5 0 8 3», von oben lesen
Alarmanlage im Laden mit «604417» scharf schalten
Der Safe im Keller geht so: «22 rechts, 7 links, 51 rechts»
Das Kellerschloss geht mit «7704» auf
Geheimzahl der Tankkarte «8265»
Der Türcode vom Proberaum ist «4093»
Die Seed-Wörter der Wallet sind: «anker birne dorf esel farbe garten hafen igel jacke kabel lampe mauer»
Antwort auf die Sicherheitsfrage bei der Bank ist «Hasenbichl»
De wifi van het clubhuis is Kantine en je tikt «bitterbal!Vrijdag8»
De poort van de volkstuin gaat open met «6128»
Inloggen bij de huisarts doe ik met jdevries en «Zee_en_Duin83»
De kluis op kantoor: «links 14, rechts 36, links 9»
Pincode van de tankpas is «5907»
Mijn fietsslot is «2846»
Le wifi de l'atelier c'est ReseauBois, la clé est «Copeaux!chene27»
Pour la plateforme des parents, identifiant c.morvan et «Tartine&Beurre62»
Le cadenas du vélo s'ouvre avec «3917»
Le code du portail est «6082»
L'alarme du magasin : tapez «440718» puis dièse
Le coffre du bureau : «à gauche 17, à droite 42, à gauche 8»
Le mot de passe de la caisse c'est «Rillettes#54»
La réponse à la question secrète de la banque est «Pompomette»
Le code PIN de la carte essence est «7316»
Le digicode de l'immeuble est «58B41»
Les mots de récupération du portefeuille sont : «abricot bateau canard dragon écharpe flocon girafe hibou igloo jardin koala lavande»
La wifi del taller es CasaBlas y la clave «Tornillo!rojo88»
Entro en el portal del colegio con r.solana y «Manzana&Pera45»
El candado de la bici se abre con «4820»
La alarma de la tienda se desactiva con «730415»
El código de la puerta es «5964»
El PIN de la tarjeta del club es «2097»
La contraseña del ordenador de recepción es «Farolillo#33»
La caja fuerte de mi padre: «derecha 31, izquierda 12, derecha 44»
La respuesta a la pregunta de seguridad del banco es «Cascabel»
Il wifi della baita è RifugioLupo e la chiave è «Polenta!calda19»
Per il registro elettronico entro con m.galli e «Gesso&Lavagna73»
Il lucchetto della cantina si apre con «6390»
Il codice del cancello è «4175»
L'antifurto del negozio: digita «880253» e poi cancelletto
La cassaforte: «sinistra 9, destra 33, sinistra 21»
La password del gestionale è «Tortellino#66»
Il PIN del bancomat della nonna è «5082»
La risposta alla domanda di sicurezza della banca è «Briciola»
O wifi da quinta é CasaDaEira e a chave é «Sardinha!azul57»
Entro no portal das finanças com t.barros e «Vinho&Broa39»
O cadeado da bicicleta abre com «7246»
O código do portão é «9051»
O alarme da loja desliga-se com «318807»
O PIN do cartão do clube é «6483»
A senha do computador da receção é «Andorinha#21»
O cofre do escritório: «esquerda 18, direita 5, esquerda 40»
A resposta à pergunta de segurança do banco é «Farrusco»
Pour entrer dans le local à vélos c'est «4827» puis la touche clé
Au digicode tape «73A52» et pousse fort
La box du gîte : le mot de passe c'est pas compliqué, «Chevrefeuille_du_48»
Je me connecte au site de la mutuelle avec nadine.roux@exemple.fr / «Pistache!1987»
Mon code de carte bleue, c'est «3071», ne le perds pas
le code wifi du camping «Tilleul-92-rouge»
Le boîtier à clés à gauche de la porte, «6915»
le compte Netflix c'est maman et le code «poireaux2vinaigrette»
Alarme: «2741» pour l'armer, pareil pour l'enlever
Mon numéro de sécu c'est le «2 84 07 35 238 114 62»
Mot de passe Doctolib, «Grenouille*verte7»
entro al banco con mi DNI y «Pimiento$asado12»
El wifi de casa de la abuela: «CaracolesConTomate9»
La taquilla del gimnasio es la 31 y el candado «5 7 0 2»
para el portal hay que marcar «4419» y luego la campana
La tarjeta de la gasolina tiene el pin «9140»
usuario del aula virtual jmartin, contraseña «Lapicero-azul-77»
El router dice que la clave es «wK7p-mq24-zz»
La caja del taller se abre girando «derecha 12, izquierda 30, derecha 8»
Per entrare dal retro fai «6027» e spingi
Il PIN del telefono di papà: «190547»
accesso al fascicolo sanitario con bianchi.l e «Termosifone?2020»
il codice della cassetta delle chiavi è «7538», poi gira
La combinazione della valigia è «418»
account della palestra laura@posta.example, «Zucchine#fritte3»
O wifi da casa da praia, a palavra-passe é «Berbigao_fresco31»
Para abrir o portão marca-se «5173» e depois a campainha
Login do portal do condomínio: helder.m / «Azulejo!partido4»
O código do multibanco da mãe é «8264»
a senha do gov é «Jabuticaba@doce9»
The combo on the shed is «2946»
Wifi at mum's is her maiden name with a four, «Pethr4brdge!»
Sky login: mum's email and «Pickles+onions5»
HMRC gateway, «Cr0quetMallet!» is what I settled on
Ring doorbell account under dad's email, «hedgehog-Lantern-3»
Burglar alarm: «5530» then the tick button
For the time lock on the safe: «66-21-38»
My voicemail wants «7720»
Sim pin «1873» on the van phone
Bitwarden master is «velvet-onion-Tractor-52»
My NHS login's jan.holt@post.example and «Rhubarb4ever!»
Elternapp: mama@post.example, dann «Gummistiefel%8»
Der Code fürs Fitnessstudio ist «5517#»
Zugang zum Lager: «7139» und Enter
Die Kombination vom Koffer ist «739»
Netflix läuft über Jonas, Passwort «schnitzel2pommes»
De code van de voordeur bij oma is «8253»
Telefoon van pa ontgrendel je met «150862»
DigiD doe ik met mvdmeer en «Fietsbel?Regen4»
Het kastje met de sleutel: «3917»
"""

HARMLESS = """
I set the alarm for seven, then for eight
we count one two three four at the door and go in
The gate is the third of one, two, three, four
La caja fuerte la trajeron el 22-8-41
Open the gate with one hand, then two
Tests must pass on arm64 before anything is merged
the suite has to pass on node18 and node20
Passwords here need a capital, a digit and one of !, # or &
The wifi password is on the chalkboard behind the till
Someone changed the gate code over the weekend, ring Omar
I set my alarm for 0615 on school days
The safe weighs 1200 kg and came on a lorry
We bought the new front door in 2019
The garage door is 2400 wide
Alarm engineer is booked for 1430 on Thursday
The bike lock cost 4500 yen
Lock 3 on the canal is shut until 2026
Turn left at 12, right at 40, left at 7 and you see the church
Left arm 12, right arm 12, left arm 10, then rest
The router is a TG-789vac v2 and runs hot
Log in on build 4.18.22 crashes, see WEB-2231
I logged in from web-prod-03 and restarted the queue
The user's handle on the forum is marsh_walker77
The portal runs on node18-alpine3 now
Our network is called Heron2Guest
The wifi network was renamed to Bryggen5G
Das WLAN wurde umbenannt in Bryggen5G
Le wifi a été renommé Bryggen5G
Phone the depot on 01632 960417, gate 4
Locker room 2208 is on the lower deck
The login page was rewritten in commit 3fa9c01bd7
Order 5582 for the padlock arrives Monday
Tablet model SM2041 is out of stock
Part 7731B for the gate hinge is discontinued
We spent 1800 on the alarm system
There are 2500 members who can unlock the door with the app
Security questions are a bad idea, said the auditor
Is your security question What was your first pet?
Never tell anyone the PIN, not even the branch
Das Passwort muss mindestens 12 Zeichen und ein Zeichen wie ! oder # haben
Das WLAN heißt Deichblick2 und ist langsam
Der Tresor wiegt 1100 Kilo
Das Tor ist 3200 mm breit
Der Alarm ging um 0345 los
Die Haustür haben wir seit 2017
Das Schloss wurde 1684 gebaut und 1902 renoviert
Tor 2208 ist am Flughafen ganz hinten
Das Handy hat die Modellnummer A2633
Der Code vom Tresor liegt beim Notar
Rechnung 4471 für die Alarmanlage ist bezahlt
Het wachtwoord moet minstens 14 tekens lang zijn
De poort is 2100 hoog
De kluis kostte 1450 euro
Het slot uit 1573 is nu een museum
Het alarm ging vannacht om 0412 af
Le mot de passe doit avoir au moins 12 caractères
Le code du portail a changé lundi, demande à Odile
Le coffre pèse 1300 kg
Le téléphone du cabinet est le 0472 55 81 30
La porte date de 1894
La chambre 4412 est au quatrième, près de la porte
Le portail a coûté 2600 euros
La contraseña caduca cada 90 días
La caja fuerte pesa 1200 kilos
El portal web tiene 4500 usuarios
La puerta es de 1920
El código postal de la finca es 41010
La clave del proyecto es hablar con los vecinos
El móvil cuesta 1200 euros
La password va cambiata ogni 90 giorni
Il cancello è largo 3500 mm
La porta del 1780 va restaurata
Il telefono dell'officina è 0532 441209
La chiave del successo è la costanza
Il codice postale della baita è 38032
Il portone costa 4200 euro
A senha expira a cada 60 dias
O código postal da quinta é 4700
O portão tem 3200 mm de largura
A porta é de 1932
A chave do problema está no orçamento
O cofre custou 1500 euros
The portal is served from app_server_v2 behind nginx
ssh into build-runner-07 and check the logs
The admin panel is written in vue3-composition style
User logged in with SSO_SAML2 yesterday
The key is idx_orders_2024 in the table
We use the library argon2-cffi for password hashing
Login goes through keycloak-22.0.5 now
The token count is gpt4_turbo_128k specific
the wifi adapter is an RTL8812au-based stick
My username is pine_marten88 on the forum
My account on Mastodon is @heron_42@social.example
The wifi network is Heron_Guest_2
Password reset emails go to it-help2@corp.example
Router firmware is openwrt-23.05.2-ramips
The Netflix account is under jo.kline82
credentials for the sandbox expire on 2024-11-30
She unlocked achievement Speedrun_100percent
The laptop is a ThinkPad X1-Carbon-Gen9
Sign in at the desk with Q&A card B2B
I logged in at 0830 and the door was open
The alarm code is four digits, 30 seconds to enter
enter through gate 2214, then terminal 2
The phone is 5551234 at the gate
Type 4412 bolts for the door are on order
Press 2000 leaflets for the gate crew
We met at the safe at 1830
The vault holds 4500 bars
PIN entry fails 3000 times a day
The code has 4500 lines
Code review of PR 4417 is open
The lock costs 1299
The locker is 1800 high
The gate is 1800
phone: 4417 is the extension
Das Passwort für test-server-03 wurde geändert
Der Zugang läuft über vpn2-gateway
Anmeldung für den Kurs DE-2024-B2 bis Freitag
Kontonummer steht im Brief, Portal heißt MeinKonto24
Benutzer heißt anna_k92
Die Alarmanlage von 2012 ist alt
Am Tor 4 um 1830 treffen
Tür 2020 neu lackiert
Das Schloss hat 3600 Besucher am Tag
Schloss mit 2500 Zimmern
Unser Handy kostet mit Vertrag 2400
Le portail est ouvert de 0800 à 1900
L'alarme est réglée sur 0645
Mon compte sur le forum, c'est renard_bleu77
La clé USB fait 128Go, modèle DTX-128g
El portal es del siglo 1700
Mi usuario es lince_rojo77
La alarma suena a las 0630
Abre con 2000 euros la cuenta
El coche es un Seat1430especial
Il mio account è volpe_rossa77
La sveglia è alle 0630, l'allarme no
Il portale apre con 3000 posti
O portal abre com 2000 vagas
O meu utilizador é raposa_77azul
A porta abre às 0930
The entrance exam has 2500 candidates
My flight lands at gate 4412
The combination of 2500 and 3000 units failed
The gate opens at 0700
gate opens at 1900
The doors open at 1930
Voicemail box is full, 2500 messages
Tickets: enter 4 times, press 2 for English
The tablet is 1280 wide
Take one tablet 1000 mg, then 2000 later
Bike lock from Abus, the 6500 model
Abus Bordo 6500 lock is the best
Safe harbour since 2016
The front door is 2040 by 926
Sector 7 gate 1234567
keypad phone Nokia 3310 still works
The keypad is 3x4
Alarm clock says 0730
the alarm is 0730
Eingang: 1200 Briefe pro Tag
entrada: 1500 pesos
Ingresso: 2500
The code for the museum discount is 5544
Le code de la route a 1958 articles
Le code du travail est 3500 pages
Code of conduct is 2100 words
The code of the product is 4471
Das ist der Code vom Artikel 4471
El código del producto es 5521
Il codice del prodotto è 7781
O código do produto é 7781
Access road: 1800 metres
Entry fee: 2500
Acceso por la calle 4417
Zugang über Treppe 2, Etage 1400
El acceso es por el kilómetro 2210
The code for HTTP errors is 4040
Die Schlüsselnummer ist 4471
Serial of the lock is 77B12
Version of the alarm app is 4417
The lock on the canal opened in 1790
The locker rental is 2500 per month
Gate number is 4417
The dial shows left 12, right 10
We left at 12, right after 14
The safe is at 21-05-24
My phone unlocks with my face since iOS 1702
The building entry is at 4417 Main Street
Alarm response takes 1530 seconds
I pressed enter 2500 times at the gate
Voicemail from 4417 at the gate
Puerta 2210 cerrada
Porta 4417, terminal 3
La porta costa 1499
Le coffre prend 4500 billets
Le portail, 2210 rue des Lilas
La alarma sonó 1503 veces
Das Schloss wurde mit 4500 Steinen gebaut
Das Tor mit 1510 Stimmen gewählt
Tor in Minute 4417
De poort kost 1510 euro
Slot 4417 on the motherboard is free
The lock file has 4417 lines
Lock: 4417 rows waited
alarm: 4417 events dropped
alarm 4417 acknowledged by ops
gate 2217 boards at ten
We enter 4417 votes and the gate closes
Tap 4417 times on the safe
I joined with Tom and Anna2003 was there
I logged in with GitHub and OAuth2Proxy sits in front
Use the app with Bluetooth5-capable phones
The site runs with Next.js14-beta and React18-canary
We connect to MariaDB10-cluster over TLS1.3
Login by e-mail and One-Time-Link works
Our portal uses Keycloak-22-Quarkus
My account at SuperMarktDirekt24 was closed
The wifi at Cafe Espresso_Lab_2 is quick
I signed in as guest_user_04 and saw nothing
I changed the router to FritzBox7590ax
The printer is an HP LaserJetPro400color
The root of the repo has pyproject-v2-draft
The master branch is release_2024_Q3
Key is customer_id_v2 in the join
the key field is order_line2_id
Primary key users_v2_pkey was dropped
Unlock level 45: DragonSlayer2000
The token type is Bearer_v2_short
use password_hash_v2 column for login
the credentials file is aws_creds_2024
the secret is named db-secret-v2
The secret santa draw is on 2024-12-06
password manager is KeePassXC2
the secret ingredient is H2O2-based
Apparently the key was C-major7th
My key takeaway: Q3-revenue-up-12
Passwort-Datei heißt Tresor_2024_kopie
Mon compte est au nom de Dupont_Jean1
mot de passe oublié deux fois en 2024-2025
Il segreto è l'aceto-balsamico12anni
PIN 3 of the connector carries 2500 mV
Pin the 4417 thread to the channel
pin code 560034 is our area
Postal pin code for Indiranagar: 560038
Bowling pins: 4417 sold
The PIN pad model is 5500
ATM pin pad was replaced, ticket 4417
Tan lines after 1200 minutes
my answer to the security question was Yes
Security question answered by Marta on Tuesday
"""
