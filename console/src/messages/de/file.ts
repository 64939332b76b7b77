import type { Messages } from '../en.ts'

const things = (count: number) => (count === 1 ? '1 Änderung' : `${count} Änderungen`)

export const file: Messages['file'] = {
  lead: 'Eine Datei, die sagt, was da sein soll. Ein Plan zeigt, was sie ändern würde und wessen Zugriff.',
  ofInstallation:
    'Eine deklarierte Datei ist für alle, die alles verwalten: Sie kann über jeden alles sagen. Bitten Sie jemanden davon, Ihre zu planen und anzuwenden.',
  nothingYet: 'Noch ist nichts geändert.',
  text: 'Die Datei',
  drop: 'Legen Sie eine Datei hier ab, wählen Sie eine aus, oder fügen Sie ihren Text ein.',
  choose: 'Datei auswählen',
  tooLarge: 'Sie ist größer als 5 MiB. Nehmen Sie tessera plan und tessera apply, oder teilen Sie sie.',
  noText: 'Sie ist kein Text in UTF-8.',
  name: 'Name der Datei',
  nameHow:
    'Unter diesem Namen verwaltet sie, was sie nennt. Nehmen Sie den Namen, den sie auch sonst hat, ohne Ordner.',
  prune: 'Entfernen, was sie nicht mehr nennt',
  pruneHow: 'Was eine Datei dieses Namens verwaltet hat und diese auslässt, wird entfernt oder gesperrt.',
  plan: 'Planen',
  planning: 'Sie wird mit dem Gespeicherten verglichen …',
  refused: (count) => (count === 1 ? '1 Zeile wird abgelehnt' : `${count} Zeilen werden abgelehnt`),
  refusedHow: 'Nichts ist geändert. Verbessern Sie die Zeilen, und planen Sie sie noch einmal.',
  line: (line) => `Zeile ${line}`,
  wholeFile: 'Die Datei',
  would: 'Was sie tun würde',
  stale: 'Sie haben den Text oder seine Einstellungen seither geändert: Planen Sie noch einmal.',
  nothing: 'Sie ändert nichts: Gespeichert ist, was sie sagt.',
  counts: (made, changed, removed) =>
    [
      things(made + changed + removed),
      made > 0 && `${made} neu`,
      changed > 0 && `${changed} geändert`,
      removed > 0 && `${removed} entfernt`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  atStart: (file) =>
    `Der Dienst wendet bei jedem Start seine eigene ${file} an. Dann gilt wieder jene: Ändern Sie auch sie.`,
  own: 'Auch Sie selbst verlieren Zugriff.',
  access: 'Wessen Zugriff sich ändert',
  noAccess: 'Niemandes Zugriff ändert sich.',
  people: 'Personen',
  applications: 'Anwendungen',
  everywhere: 'Überall',
  enters: 'Wer hineinkommt',
  weakens: 'Schwächer als zuvor',
  proves: 'Wer sich als Anwendung ausweist, durch Token eines anderen Ausstellers',
  provesNobody: 'niemand mehr',
  strengthens: 'Wen strengere Regeln aufhalten',
  enrol: (people) =>
    people === 1
      ? '1 Person muss einen zweiten Faktor einrichten.'
      : `${people} Personen müssen einen zweiten Faktor einrichten.`,
  refresh: (people, clients) =>
    `${people === 1 ? '1 Person muss' : `${people} Personen müssen`} sich in ${clients === 1 ? '1 Anwendung' : `${clients} Anwendungen`} neu anmelden.`,
  upstreamFirst: (people) =>
    `${people === 1 ? '1 Person muss' : `${people} Personen müssen`} sich erst über den Anbieter anmelden.`,
  waits: 'Profile, die auf einen Nachweis warten',
  waitsHow: (profile, by) => `${profile}: Niemand hat das Konto nachgewiesen, das ${by} angelegt hat.`,
  removed: 'Was wegfällt',
  adopts: 'Was sie übernimmt',
  adoptsHow: 'Es ist schon da, und von da an verwaltet es diese Datei.',
  managedBy: (file) => `bisher verwaltet von ${file}`,
  madeBy: (who) => `angelegt von ${who}`,
  keeps: 'behält',
  losesOwn: 'verliert',
  owns: {
    password: 'das Passwort',
    factors: 'zweite Faktoren',
    client_secret: 'das Secret',
    sessions: 'Sitzungen',
    tokens: 'Tokens',
    consents: 'Zustimmungen',
  },
  changes: 'Jede Änderung',
  made: 'Neu',
  changed: 'Geändert',
  gone: 'Entfernt',
  pruned: 'nicht mehr in der Datei',
  hidden: 'ändert sich und wird nicht gezeigt',
  empty: 'leer',
  unnamed: 'Nicht mehr in der Datei, und bleibt',
  unnamedHow:
    'Die Datei hat es verwaltet und nennt es nicht mehr. Es fällt nur weg, wenn Sie das oben wählen.',
  holds: 'Adressen, die noch jemand zurücknehmen konnte',
  holdsHow: (holder) => `${holder} hat sie aufgegeben und kann sie nicht mehr zurücknehmen.`,
  unmet: 'Lässt niemanden mehr hinein',
  unmetHow: (client, entries) => `${client}: ${entries} wurde seither entfernt.`,
  showAll: (count) => `Alle ${count} zeigen`,
  kinds: {
    policy: 'Regeln der Anmeldung',
    branding: 'Aussehen',
    break_glass: 'Notzugang',
    assertion_issuers: 'Aussteller, die Anwendungen ausweisen',
    installation: 'der Installation',
  },
  apply: 'Diesen Plan anwenden',
  applied: (file) => `${file} ist angewendet.`,
  appliedHow: 'Es ist geschehen, was Sie gesehen haben.',
  record: 'Was sie getan hat, im Audit',
  outdated:
    'Das Gespeicherte hat sich geändert, seit Sie den Plan gesehen haben. Nichts wurde angewendet; dies ist der Plan, wie er jetzt ist.',
  since: 'Was seither anders ist',
  now: 'neu im Plan',
  noLonger: 'nicht mehr im Plan',
  export: 'Alles als Datei',
  exportHow:
    'Alles, was gespeichert ist, ohne Passwörter und Secrets. Hier angewendet ändert sie nichts; legen Sie sie in die Versionsverwaltung, oder beginnen Sie mit ihr eine Datei.',
  download: 'Herunterladen',
}
