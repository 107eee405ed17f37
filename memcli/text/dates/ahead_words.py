"""Words that introduce and name days ahead, in seven languages: parts of patterns, without accents."""

from __future__ import annotations

# A part of a day after its name: as one word with it ("Freitagabend"), or separate ("mardi matin").
PART_IN_ONE = "vormittag|mittag|nachmittag|abend|morgen|fruh|nacht|ochtend|middag|namiddag|avond"
PART_BEHIND = (
    rf"(?:(?:early|late|in the|at) )?(?:morning|afternoon|evening|night|noon|lunchtime|midday)|{PART_IN_ONE}"
    "|(?:(?:au|dans l'|en|dans la) ?)?(?:matinee|matin|midi|apres-midi|soiree|soir)"
    "|(?:(?:por|en|a) la )?(?:manana|tarde|noche)|al? mediodia"
    "|(?:(?:di|nel|alla|a) )?(?:mattina|mattino|pomeriggio|sera|notte|mezzogiorno)"
    "|(?:a|de|pela|ao) (?:manha|tarde|noite|meio-dia)"
)
# "Now".
NOW = "now|jetzt|nun|maintenant|ahora|adesso|agora|nu"
# "Before": up to a day, but not on it.
BEFORE = "before|vor|avant|antes de|antes del|prima di"
# "Until", "by": up to a day.
UNTIL = (
    "by|until|'?till?|no later than"
    "|bis|spatestens"
    "|d.ici|jusqu.(?:a|au)"
    "|hasta"
    "|entro|fino a"
    "|tegen|uiterlijk"
    f"|ate|{BEFORE}"
)
# The same in questions: in Dutch statements "tot" is a duration, in questions all up to the day.
UP_TO = f"{UNTIL}|tot en met|tot"
# Introductions of a deadline.
BY = f"{UNTIL}|due(?: on)?|pour|para|per|voor"
# Up to then something is so; in German and Portuguese with a word that tells what is. What must be is none.
LASTING_UNTIL = "until|'?till?|jusqu.(?:a|au)|hasta|fino a|tot|tot en met"
LASTING_OR_DUE = "bis|ate"
LASTS = (
    "ist|sind|bin|seid|bleib(?:t|en|e)|hat|haben|habe|gilt|gelten|nicht|kein(?:e[rnms]?)?|geschlossen|zu"
    "|geoffnet|offen|krank|krankgeschrieben|krankgemeldet|weg|unterwegs|urlaub|vertritt|lauft|laufen"
    "|esta(?:o|mos)?|estou|fica(?:m)?|tem|nao|fechad[oa]s?|abert[oa]s?|ausente|ferias|de baixa"
)
MUST = (
    "must|need|needs|have to|has to|got to|should|shall|todo"
    "|muss|mussen|musst|soll|sollen|sollte|zu \\w+en|\\w+zu\\w+en"
    "|dois|doit|devons|devez|doivent|faut|debo|debe|debemos|deben|hay que|ten(?:go|emos) que|tiene que"
    "|devo|deve|dobbiamo|devono|bisogna|occorre|preciso|precisa|precisamos|tenho (?:que|de)|temos (?:que|de)"
    "|moet|moeten"
)
# What begins, ends or changes then is otherwise ever after: how such words begin.
FOR_GOOD = (
    r"start|begin|join|mov(?:e|ing)|leav(?:e|ing)|open(?:s|ing)|clos(?:es|ing) down|becom|switch|replac|chang"
    r"|retir|launch|goes (?:out|live)|released?|quit|sell|buy|marr|born|die[sd]?\b|arriv|deliver"
    r"|beginn|anfang|fangt|zieh|umzieh|verlass|eroffn|wechsel|ersetz|kundig|heirat|liefer|kommt an"
    r"|commenc|debut|demenag|quitt|ouvr|chang|remplac|arriv|livr|mari"
    r"|empiez|comienz|muda|deja|abre|cambi|reemplaz|llega|entrega|casa"
    r"|inizi|cominci|trasloc|lasci|apre|cambi|sostitu|consegn|spos"
    r"|comec|deixa|troca|substitu|chega"
    r"|verhuis|verlaat|vertrek|verander|vervang|lever"
)
# It ends then.
ENDING = (
    "runs? out(?: on)?|running out(?: on)?|expir(?:es|ing|y)(?: on)?|ends?(?: on)?|closes?(?: on)?|renewal"
    "|lauft ab|lauft (?:\\w+ )?aus|ablauf|fallig|frist|endet"
    "|expire|echeance|vence|caduca|scade|scadenza|prazo|verloopt|vervalt"
)
# Introductions of the day of an event; without one a weekday may be any.
ON = (
    "on|next|this coming|this|coming"
    "|nachste[rnms]?|kommende[rnms]?|diese[rnms]?"
    "|ce"
    "|n?este|proximo"
    "|questo|questa|prossimo|prossima"
    "|aanstaande?|volgende?|komende?|deze|dit"
    "|na|nesta|esta|proxima"
)
# The English introductions after which numeric dates may be month first ("on 3/4"). For deadlines, people
# write the day first.
ENGLISH_LEAD = "on|next|this|coming|the"
# "Next", "coming": the one after the current.
COMING = (
    "next|coming|nachste[rnms]?|kommende[rnms]?|proxim[oa]|prossim[oa]|aanstaande?|volgende?|komende?"
    "|prochaine?|qui vient|que viene|que vem"
)
# "Next" after the name of the day.
THEN = "prochaine?|qui vient|que viene|prossim[oa]|que vem"
# "Last", before the name of the day and after it.
LAST = "last|letzte[nrms]?|vorige[nrms]?|vergangene[nrms]?|afgelopen|lo scorso|scors[oa]|ultim[oa]"
LAST_BEHIND = "derniere?(?! (?:carat|delai))|passee?|pasad[oa]|scors[oa]|passad[oa]"
# "After next", before the name of the day; after the name: of weekends, and of weekdays in weeks later.
AFTER_NEXT = "ubernachste[rnms]?"
# After "weekend".
WEEKEND_LATER = "after next|d'apres|que viene no,? el (?:otro|siguiente)|daarna"
WEEKS_LATER = {"week": 1, "after next": 1, "fortnight": 2, "in acht tagen": 1, "en huit": 1, "en quinze": 2}
# Words between a weekday and its date: "Donnerstag, den 3.", "10 May, a Thursday".
BESIDE = "the|on|from|of|a|dem|den|der|am|einem|le|la|un|el|il|de|della|da|op|het|een|o|dia"
# Words that mark the number before them as an hour.
OF_THE_CLOCK = "h|heures?|uhr|uur|ore|am|pm|o'clock"
# Words between an introduction and the day.
BETWEEN = (
    "the|am|dem|den|der|zum|le|la|el|il|op|de|a|o|ao|next|this|nachste[rnm]?|kommende[rnm]?|proximo"
    "|volgende|dia"
)
# Today, tomorrow and the day after; "la mañana" and "guten Morgen" are mornings.
TODAY = (
    "today|tonight|this (?:afternoon|evening)|heute|aujourd.hui|ce soir|cet apres-midi"
    "|hoy|esta (?:tarde|noche)|oggi|stasera|questa sera|questo pomeriggio"
    "|vandaag|vanmiddag|vanavond|hoje|esta noite"
)
TOMORROW = (
    "tomorrow|morgen(?:ochtend|(?:na)?middag|avond)"
    "|(?<!heute )(?<!guten )(?<!goede )(?<!am )(?<!jeden )(?<!gestern )morgen|demain"
    "|(?<!la )(?<!esta )(?<!una )(?<!cada )(?<!de )manana|domani|amanha"
)
AFTER_TOMORROW = (
    "day after tomorrow|ubermorgen|apres-demain|pasado manana|dopodomani|overmorgen|depois de amanha"
)
NEXT_WEEK = (
    r"next week\b(?!-)|(?:nachste[rn]?|kommende[rn]?) woche|semaine prochaine|proxima semana"
    "|semana (?:que viene|que vem|proxima)"
    "|settimana prossima|prossima settimana|volgende week"
)
THIS_WEEK = r"this week\b(?!-)|diese[rn]? woche|cette semaine|(?:[nd]?esta) semana|questa settimana|deze week"
THIS_MONTH = "this month|diese[nrms]? monats?|ce mois|[nd]?este mes|questo mese|deze maand"
NEXT_MONTH = (
    "next month|(?:nachste[nrm]?|kommende[nrm]?) monat|mois prochain|proximo mes|"
    "mes (?:que viene|que vem|proximo)|mese prossimo|prossimo mese|volgende maand"
)
MONTH_END = (
    "end of (?:the |this )?month|month(?:.?|'s )end|monatsende|ende (?:des|diese[ns]) monats"
    "|fin (?:du|de|de ce) mois|fin(?:al(?:es)?)? de (?:este )?mes|fine (?:del |di questo )?mese"
    "|eind(?:e)? (?:van de(?:ze)? )?maand"
    "|(?:fim|final) d(?:o|este) mes"
)
WEEK_END = (
    "end of (?:the|this) week|ende (?:der|diese[nr]) woche|fin de (?:la |cette )?semaine"
    "|fin(?:al)? de (?:la|esta) semana|fine (?:della|di questa) settimana|eind(?:e)? van de(?:ze)? week"
    "|(?:fim|final) d(?:a|esta) semana"
)
WEEKEND = "weekend|week-end|wochenende|finde|fi[nm] de semana|fine settimana"
# Introductions of a month alone, and of a part of it.
IN_MONTH = (
    "in|im|en|em|a|ai|for|fur|pour|para|per|voor"
    "|by|until|before|bis|vor|avant|d'ici|antes de|entro|tegen|of|de|di|ate"
)
MID = "mid|middle|mitte|mi|mediados|meta|meados|half|medio"
MONTH_PART = f"end|ende|fin|finales|fine|fim|eind|{MID}"
# Introductions of a bare day number.
NTH = (
    r"(?:by |on |before )?the|am|dem|den|zum|vom|bis|le|du|au|el|del|il|al|dia"
    r"|op|(?:op|voor|tegen) de|de(?= \d\d?e\b)"
    # "Due 11th", "until 23rd".
    r"|(?:by|due|due on|before|until|'?till?|on)(?= \d\d?(?:st|nd|rd|th)\b)"
)
# "In" so many days from when it was said; the units, in days.
IN = "in|within|binnen|innerhalb von|dans|dentro de|en|tra|fra|over|em|daqui a|za"
UNITS = {
    "day": 1, "days": 1, "tag": 1, "tagen": 1, "tage": 1, "jour": 1, "jours": 1, "dia": 1, "dias": 1,
    "giorno": 1, "giorni": 1, "dag": 1, "dagen": 1,
    "week": 7, "weeks": 7, "woche": 7, "wochen": 7, "semaine": 7, "semaines": 7, "semana": 7, "semanas": 7,
    "settimana": 7, "settimane": 7, "weken": 7,
    "month": 30, "months": 30, "monat": 30, "monaten": 30, "mois": 30, "mes": 30, "meses": 30, "mese": 30,
    "mesi": 30, "maand": 30, "maanden": 30,
}  # fmt: skip
# The units with those in Polish, of which nothing else is read here. The judges were trained on UNITS.
COUNTED = UNITS | {
    "dzien": 1, "dni": 1, "tydzien": 7, "tygodnie": 7, "tygodni": 7,
    "miesiac": 30, "miesiace": 30, "miesiecy": 30,
}  # fmt: skip
# "Within": all time up to then.
WITHIN = "within|binnen|innerhalb von"
# "The next 3 days"; the first also after the count ("les 3 prochains jours").
NEXT_AFTER_COUNT = "prochaine?s|proxim[oa]s|prossim[ie]"
NEXT = f"next|coming|nachsten|kommenden|komende|volgende|{NEXT_AFTER_COUNT}"
# Words of ranges: between two days; before the first of two joined by AND; before the first.
TO = "to|through|until|till|bis|a|al|au|jusqu.(?:a|au)|hasta|fino ad?|fino al|ate|ao|t/m|tot en met|tot"
AMONG = "between|zwischen|entre(?: (?:os|los|les) (?:dias|jours))?|tussen|tra|fra"
FROM = f"{AMONG}|from|von|vom|desde|du|del|van|da|dal|do|de"
AND = "and|und|et|y|e|en"
# Something was moved to another day: verbs before "from", and words between the two days.
MOVED = (
    r"moved|resched\w+|postponed|shifted|put (?:back|off)|pushed|brought forward"
    r"|(?:deplac|decal|report|repouss|avanc)ee?|(?:movi|cambia|traslada|aplaza|adelanta|pasa|adia|muda|antecipa|transferi)d[oa]"
    r"|(?:spostat|rinviat|rimandat|anticipat)[oa]|(?:adia|remarca)d[oa]|verplaatst|verzet|verschoven|uitgesteld"
)
MOVED_TO = "auf|naar|para"
# Verbs after both days (German), or in the present tense; and introductions of the day it is moved to.
MOVED_ALSO = "verschoben|verlegt|vorverlegt|vorgezogen|umgelegt|moves|deplace|decale|reporte|repousse|avance"
MOVED_GOAL = "to|till|until|auf|au|a|al|alla|alle|naar|para|pour"
# Words by which a range of weekdays recurs weekly: opening and working hours.
WEEKLY = (
    r"open\w*|hours|works?|working|geoffnet|offen|offnungszeiten|sprechstunden?|arbeite\w*"
    r"|ouverte?s?|ouvre|horaires?|travaill\w*|abiert[oa]s?|abren?|horarios?|trabaj\w*"
    r"|apert[oaie]|apre|orari[oa]?|lavor\w*|abert[oa]s?|trabalh\w*|geopend|openingstijden|werkt?|werken"
)
# From the day after on; from the day itself on, before its name, or after it ("from Friday on").
AFTER = "after|nach|apres|despues del?|dopo|depois d[eo]"
# "After" in Dutch, only before a Dutch day, because it is "on" in Portuguese.
AFTER_IN_DUTCH = "na"
IN_DUTCH = r"\w+dag\b|weekend|(?:het|dit|volgend|volgende|deze) |de \d|\d|morgen|vandaag"
ONWARDS = "ab|a partir d[aeu]|a partir del?|a partire da|as of|starting|vanaf"
ONWARDS_BEHIND = "on|onwards?|an|en adelante|in poi|em diante"
SPANS = " ".join((UP_TO, BETWEEN, WITHIN, NEXT, TO, FROM, AND, AFTER, ONWARDS, ONWARDS_BEHIND))
# "One" as a count.
ONE = "a an einem einer un une uno una een um uma"
# Rejections of a day: "not on" Friday "but on" Thursday; further below, "instead of" Friday.
NOT_ON = r"(?:not|nicht|pas|niet|(?:no|non|nao)(?: (?:es|sera|e|sara))?)(?: (?:on|am|el|il|op|na|no))?"
BUT_ON = "but|sondern|mais|sino|ma|maar|mas"
# "None of something": in English (where other languages' "no" means "not"), and in the others.
NO_IN_ENGLISH = r"no(?! \w+ than)"
NONE_OF = r"(?:es gibt )?keine?|(?:il n'y a )?pas d(?:e |')|no hay|niente|nessun[oa]?|geen|nao ha|sem"
INSTEAD_OF = (
    "instead of|rather than|statt|anstatt|anstelle von|au lieu d[eu]|en (?:vez|lugar) del?"
    "|invece (?:che|d[ei]l?)|in plaats van|em vez d[ea]"
)
# "Since"; words that may mean "from a date on" as well, and Italian "da" before a weekday.
SINCE = "since|seit|depuis|sinds"
SINCE_OR_FROM = "desde|dal|dalla"
SINCE_IN_ITALIAN = "da"
ITALIAN_DAY = r"\w+di|sabato|domenica"
# Words of habits, whose days are not days ahead.
EVERY = (
    "always|never|usually|normally|often|mostly|generally|every|each"
    "|immer|nie|jede[rnsm]?|chaque|tous les|toutes les|toujours|jamais|cada|todos los|todas las|siempre|nunca"
    "|ogni|tutti i|tutte le|elke|iedere|altijd|nooit|toda|todas as|todo|todos os"
)
# Before a weekday: one of a month, "the second Thursday".
OF_A_MONTH = (
    "first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|other|erste[nr]?|zweite[nr]?|dritte[nr]?|vierte[nr]?"
    "|premier|deuxieme|troisieme|quatrieme|primer|segundo|tercer|cuarto|primo|secondo|terzo|quarto"
    "|eerste|tweede|derde|vierde|primeiro|terceiro"
)
# A question for the agenda of a time has, beside function words, only these words (without accents): having,
# having to, doing, being on or due, plans, anything.
ON_THE_AGENDA = """
    need must should shall do doing go going gonna got time anything something nothing due deadline
    deadlines plan plans planned planning scheduled schedule appointment appointments event events agenda
    calendar task tasks forget needs todo todos coming comes happening happens upcoming diary ahead busy
    free remind muss mussen soll sollen sollte habe hab hast tun machen erledigen etwas irgendetwas
    irgendwas nichts los vorhabe vorhaben steht ansteht stehen anstehen liegt anliegt kommt geplant termin
    termine verabredung verabredet fallig aufgaben kalender frei zeit gibt gibts beschaftigt frist fristen
    dois devons faut avons faire fasse fait quelque chose rien prevu prevue prevus rendez rdv echeance
    echeances taches programme planning libre occupe occupee temps reste debo debemos tengo tenemos hacer
    nada pendiente pendientes cita citas evento eventos tarea tareas planes previsto programado calendario
    libre tiempo ocupado ocupada pasa toca vence vencen compromiso compromisos devo dobbiamo ho abbiamo
    fare qualcosa niente impegno impegni appuntamento appuntamenti programma programmi tempo previsto
    scadenza scadenze scade libero libera occupato occupata succede devemos preciso tenho temos fazer
    algum alguma compromisso compromissos marcado marcada planos tarefas prazo prazos livre ocupado
    acontece acontecer fazemos hacemos facciamo faisons geht mache machst macht fais hago haces faccio fai
    faco fazes doe doet
    moet moeten heb hebben hebt doen iets niets tijd staat gepland plannen afspraak
    afspraken taken druk vrij bezet gebeurt
"""
# And these, which also occur in questions for what was recorded in a time.
ASKED_FOR = """
    else everything things thing stuff please m ve ll re there lined left plate look looks like get done
    already yet still supposed commitments meine meinem meinen bitte alles sonst schon bereits sieht aus
    irgendwelche eigentlich denn suis deja dispo attend estoy ya gia sono sto impegnato ja estou vai al
    ben morning afternoon evening night noon midday lunchtime vormittag mittag nachmittag abend nacht fruh
    matin midi soir tarde noche mediodia mattina pomeriggio sera notte manha noite ochtend middag avond
    zeig dites donne toutes tout y dime muestra cosas todo algun alguna altro cose dimmi nei nelle tutto
    miei mias minha minhas meu meus unser unsere unseren nuestro nuestra nostro nostra nosso nossa ons
    onze coisa coisas tudo nas mostra er toon
"""
# A question for all errands has one of these words, or "open" with a word for "still", or a verb of doing
# with "still" or a verb of having to.
ERRANDS = """
    todo errand errands chore chores task tasks aufgabe aufgaben besorgungen taches corvees tareas recados
    tarefas boodschappen commissioni outstanding pending overdue undone ausstehend unerledigt uberfallig
    pendiente pendientes sospeso pendente pendentes openstaand suspens
"""
OPEN = "open offen offene offenes"
STILL = """
    still left remaining yet noch encore reste restent todavia aun queda quedan falta faltan ancora resta
    restano rimane ainda nog list liste lista lijst
"""
HAVING_TO = """
    must need needs should supposed muss mussen soll sollen dois doit devons faut debo debemos hay tengo
    tenemos devo dobbiamo preciso precisamos tenho temos moet moeten
"""
# Verbs of doing; "to do", "zu tun", "a faire".
DOING = r"(?:done|tun|erledigen|machen|faire|hacer|fare|fazer|doen|do(?! (?:i|we|you)\b))"
TO_DO = rf"(?:to|zu|a|por|da|te|para) (?:get )?{DOING}|que (?:hacer|fazer)"
# "Next", and the nouns that have a next: appointments (on a day), deadlines (by a day), or either.
NEXT_ONE = """
    next upcoming nachste nachster nachsten nachstes prochain prochaine proximo proxima prossimo prossima
    volgende eerstvolgende
"""
APPOINTMENTS = """
    appointment event termin verabredung rendez rdv cita evento compromiso appuntamento impegno compromisso
    afspraak
"""
DEADLINES = "deadline frist abgabetermin echeance plazo vencimiento scadenza prazo"
AGENDAS = "agenda calendar diary kalender terminkalender calendrier calendario"
# Function words that exclude a question for an agenda: "can" asks what is possible, pronouns ask about
# others, and "after" a day has no end.
BUT_FOR = """
    can could cannot cant couldnt kann after nach he she him her hers his they them their elle elles ella
    ellos lui lei loro ela hij zij
"""
# Marks of a question about the past: "qu'est-ce que j'ai fait ?", but not "qu'est-ce qu'on fait ?".
HAVE_MADE = "ai as a avons avez ont"
OVER = "did had were hatte hatten hattest wurde fue era"
# Articles before a bare weekday, which may mean every such day: "le lundi", "los lunes".
OF_MANY = "les?|los|il|la|as|aos|op de"
# Each form above that names no weekday, month or unit contains one of these: a cheap test.
CUES = """
    today tonight evening afternoon heute aujourd soir midi sera pomeriggio vanmiddag noite hoy esta oggi
    stasera vandaag vanavond hoje tomorrow morgen demain manana domani amanha ubermorgen dopodomani
    overmorgen monatsende monthend monats weekend wochenende finde
"""
# The first letters of all names of days: a question with none of them is not examined further.
BEGINNINGS = """
    abri afte agos aman aout apr apri aug augu aujo avri dag dage day days dec dece dema dez deze dia dias
    dice dici dien dima dins dni doma dome domi dond donn dopo dzie ener esta even feb febb febr feve fevr
    find frei frid genn gior giov giug heut hoje hoy jan jane jann janu janv jeud jour juev juil juin jul
    julh juli july jun june junh juni lugl lund lune maan maar magg mai maio mana mar marc mard mars mart
    marz may mayo mei merc mes mese mesi midi mier mies mitt mois mona mond mont morg noit nov nove novi
    oct octo octu oggi okt okto otto outu over pome quar quin saba same sams satu segu sema sep sept sera
    sete sett sext soir sonn stas sund tag tage terc thur toda tomo toni tues tydz tygo uber vana vand
    vanm vend vene vier vrij wedn week weke woch woen zate zond
"""
# The same for the names of `ahead_names`.
BEGINNINGS_OF_NAMES = """
    ano bis boxi capo chri cons fri giov heil jahr kers mo mon nata navi neuj new nieu noch noel nye oude reve
    sa sain sant sat silv sun sylv thu thur tue tues vesp vigi wed weih xmas zwei
"""
