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
"""

HARMLESS = """
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
"""
