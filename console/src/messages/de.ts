import { start } from './de/start.ts'
import { person } from './de/person.ts'
import { edit, ends, recover } from './de/person-changes.ts'
import { profile } from './de/profile.ts'
import { bulk } from './de/bulk.ts'
import { invite } from './de/invite.ts'
import { importing } from './de/import.ts'
import { issuers } from './de/issuers.ts'
import { key } from './de/key.ts'
import { mail } from './de/mail.ts'
import { role } from './de/role.ts'
import { file } from './de/file.ts'
import { moving } from './de/move-in.ts'
import { service } from './de/service.ts'
import { policies } from './de/policy.ts'
import { looks } from './de/branding.ts'
import { installed } from './de/installation.ts'
import { matrix } from './de/matrix.ts'
import { organisation } from './de/organisation.ts'
import { upstream } from './de/upstream.ts'
import { directory, domain, mapping, opened, setup, tryout } from './de/upstream-parts.ts'
import { application } from './de/application.ts'
import { records } from './de/records.ts'
import { verified } from './de/verified.ts'
import { compare } from './de/compare.ts'
import { whatIf } from './de/what-if.ts'
import { who } from './de/who.ts'
import { why } from './de/why.ts'
import { allowed } from './de/application-allowed.ts'
import { documents } from './de/application-document.ts'
import { proxied } from './de/application-proxied.ts'
import { fields } from './de/application-fields.ts'
import { exchange, settings } from './de/application-settings.ts'
import { secrets } from './de/application-secrets.ts'
import { preview } from './de/application-preview.ts'
import { trial } from './de/application-trial.ts'
import { refused } from './de/refused-addresses.ts'
import { palette } from './de/palette.ts'
import { actions, actors, events } from './de/events.ts'
import { webhook } from './de/webhook.ts'
import { wizard } from './de/wizard.ts'
import { work } from './de/work.ts'
import type { Messages } from './en.ts'

const peopleIn = (people: number, organisations: number): string =>
  [
    people === 1 ? '1 Person' : `${people} Personen`,
    organisations > 0 && (organisations === 1 ? 'in 1 Organisation' : `in ${organisations} Organisationen`),
  ]
    .filter(Boolean)
    .join(' ')

export const de: Messages = {
  console: 'Konsole',
  use: 'Nutzen',
  understand: 'Verstehen',
  define: 'Festlegen',
  run: 'Betreiben',
  declared: 'Deklarierte Datei',
  keys: 'Schlüssel',
  webhooks: 'Webhooks',
  mails: 'E-Mails',
  policy: 'Richtlinie',
  branding: 'Erscheinungsbild',
  installation: 'Installation',
  roles: 'Rollen',
  services: 'Dienste',
  overview: 'Übersicht',
  people: 'Personen',
  applications: 'Anwendungen',
  organisations: 'Organisationen',
  upstreams: 'Anmeldeanbieter',
  access: 'Zugriff',
  audit: 'Audit',
  menu: 'Menü',
  close: 'Schließen',
  cancel: 'Abbrechen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  all: 'Alle',
  more: 'Mehr anzeigen',
  asTable: 'Als Tabelle',
  loading: 'Wird geladen',
  skip: 'Zum Inhalt',
  none: 'Keine',
  yes: 'Ja',
  no: 'Nein',
  retry: 'Noch einmal versuchen',
  failed: 'Das hat nicht geklappt',
  offline: 'Der Dienst ist nicht erreichbar.',
  requestId: 'Anfrage',
  actsFor: (place) => `Sie handeln für ${place}.`,
  taken: (permissions) => `Sie haben nicht mehr: ${permissions}.`,
  unanswered: 'Der Dienst antwortet gerade nicht. Es wird noch einmal versucht …',
  noConnection:
    'Keine Verbindung. Was Sie sehen, kann alt sein; es wird neu gelesen, sobald die Verbindung wieder da ist.',
  newVersion: {
    title: 'Vielleicht gibt es eine neue Version der Konsole.',
    how: 'Was Sie geöffnet haben, lässt sich nicht laden. Die Seite bleibt, wie sie ist, bis Sie sie neu laden; was Sie getippt haben, geht dabei verloren.',
    button: 'Neu laden',
  },
  notFound: 'Unter dieser Adresse gibt es nichts.',
  notFoundBack: 'Zum Anfang',
  nothingAllowed: 'Hier gibt es für Sie nichts zu sehen',
  nothingAllowedWhy: (role) =>
    `Ihre Rolle „${role}“ gibt keine Berechtigung zu verwalten. Wer das darf, kann Ihnen eine andere geben, oder Sie nutzen ein anderes Profil.`,
  ended: 'Ihre Anmeldung ist zu Ende. Nichts ist verloren.',
  endedHow: 'Melden Sie sich in einem neuen Tab wieder an; diese Seite macht dann von selbst weiter.',
  confirm: {
    title: 'Bestätigen Sie dafür, dass Sie es sind.',
    how: (minutes) =>
      `Dafür braucht es eine Anmeldung aus den letzten ${minutes} Minuten. Melden Sie sich in einem neuen Tab an; diese Seite macht dann von selbst weiter.`,
    button: 'Bestätigen, dass Sie es sind',
    cancel: 'Jetzt nicht',
    before: 'Sie werden gebeten zu bestätigen, dass Sie es sind.',
  },
  signInAgain: 'Wieder anmelden',
  signedInAgain: 'Sie sind wieder angemeldet',
  signedInAs: (name) => `Als ${name}.`,
  profileEnded: 'So können Sie nicht weitermachen.',
  profileEndedHow:
    'Ihr Profil ist vielleicht zu Ende, oder der Dienst fragt Sie erst etwas. Kopieren Sie, was Sie getippt haben, und melden Sie sich dann hier wieder an.',
  signedInAgainHow: 'Der andere Tab macht von selbst weiter. Diesen können Sie schließen.',
  account: {
    label: 'Ihr Konto',
    everywhere: 'Ganze Installation',
    actAs: 'Handeln als',
    own: 'Ihr eigenes Konto',
    signOut: 'Abmelden',
    look: 'Darstellung',
    light: 'Hell',
    dark: 'Dunkel',
    system: 'System',
    language: 'Sprache',
  },
  status: {
    active: 'Aktiv',
    disabled: 'Gesperrt',
    managed: (file) => `Verwaltet durch ${file}`,
    usable: 'Nutzbar',
    unusable: 'Zurzeit nicht nutzbar',
    expired: 'Beendet',
  },
  change: {
    trying: 'Die Wirkung wird geprüft …',
    outdated:
      'Jemand hat das inzwischen geändert. Die Seite zeigt, wie es jetzt ist; versuchen Sie es noch einmal, wenn Sie es weiter möchten.',
    override: (file) =>
      `Die Datei ${file} verwaltet das. Die Änderung gilt, bis die Datei wieder angewendet wird.`,
    typeName: (name) => `Personen verlieren Zugriff. Schreiben Sie „${name}“, um fortzufahren`,
    gains: 'erhält',
    loses: 'verliert',
    noAccess: 'Am Zugriff ändert sich für niemanden etwas.',
    others: (count, complete) => (complete ? `und ${count} weitere` : 'und mehr, als hier gezeigt werden'),
    ends: (sessions, families) =>
      [
        sessions > 0 && (sessions === 1 ? '1 Sitzung endet' : `${sessions} Sitzungen enden`),
        families > 0 &&
          (families === 1 ? '1 Anwendung wird abgemeldet' : `${families} Anmeldungen an Anwendungen enden`),
      ]
        .filter(Boolean)
        .join(', ') + '.',
    actingFor: (client, service) => `${client} im Namen derer, die ${service} aufrufen`,
    shutOut: (people, organisations, client) =>
      `${peopleIn(people, organisations)} ${people === 1 ? 'kann' : 'können'} sich nicht mehr bei ${client} anmelden.`,
    letIn: (people, organisations, client) =>
      `${peopleIn(people, organisations)} ${people === 1 ? 'kann' : 'können'} sich neu bei ${client} anmelden.`,
    forces: (people, never) =>
      `${peopleIn(people, 0)} ${people === 1 ? 'kann' : 'können'} erst nach einer Anmeldung über den Anbieter handeln; davon ${never} zum ersten Mal.`,
    manySignIns:
      'Personen müssen sich vielleicht neu anmelden: Es sind zu viele Anmeldungen an Anwendungen, um jede anzusehen.',
    lastThrough: 'Zuletzt tat es jemand von den anderen am',
    weakens: 'Schwächer als zuvor:',
    disable: 'Sperren',
    enable: 'Entsperren',
    disableTitle: (name) => `${name} sperren?`,
    enableTitle: (name) => `${name} entsperren?`,
    removeTitle: (name) => `${name} entfernen?`,
    removedWith: 'Mit entfernt:',
    kinds: {
      user: ['Person', 'Personen'],
      profile: ['Profil', 'Profile'],
      client: ['Anwendung', 'Anwendungen'],
      organisation: ['Organisation', 'Organisationen'],
      unit: ['Einheit', 'Einheiten'],
      role: ['Rolle', 'Rollen'],
      permission: ['Berechtigung', 'Berechtigungen'],
      service: ['Dienst', 'Dienste'],
      session: ['Sitzung', 'Sitzungen'],
      secret: ['Geheimnis', 'Geheimnisse'],
      invitation: ['Einladung', 'Einladungen'],
      upstream: ['Anbieter', 'Anbieter'],
      directory: ['Verzeichnis', 'Verzeichnisse'],
      domain: ['Domain', 'Domains'],
      webhook: ['Webhook', 'Webhooks'],
      factor: ['Zweiter Faktor', 'zweite Faktoren'],
      token_family: ['Tokens', 'Tokens'],
      access_token: ['Access-Token', 'Access-Tokens'],
      device_code: ['Gerät', 'Geräte'],
      signing_key: ['Signaturschlüssel', 'Signaturschlüssel'],
      declared_file: ['Datei', 'Dateien'],
      upstream_invitation: ['Einrichtungslink', 'Einrichtungslinks'],
      setup_link: ['Link', 'Links'],
      address: ['Adresse', 'Adressen'],
      mail: ['Mail', 'Mails'],
      audit: ['Audit', 'Audits'],
    },
  },
  history: { when: 'Wann', what: 'Was', who: 'Wer' },
  download: {
    as: (format) => `${format} herunterladen`,
    cut: 'Die Datei brach ab, darum wurde nichts gespeichert. Eine engere Frage ergibt eine kleinere Datei.',
  },
  views: {
    saved: 'Gespeicherte Ansichten',
    save: 'Diese Ansicht speichern',
    name: 'Name der Ansicht',
    keep: 'Speichern',
    remove: (name) => `Die Ansicht ${name} vergessen`,
    full: (most) =>
      `Es gibt ${most} gespeicherte Ansichten. Vergessen Sie eine, um eine andere zu speichern.`,
  },
  until: { never: 'Unbefristet', day: '1 Tag', week: '1 Woche', month: '30 Tage' },
  conflict: {
    title: 'Jemand hat das inzwischen geändert',
    somebody: 'Jemand',
    changed: 'hat es geändert,',
    field: 'Feld',
    yours: 'Ihres',
    theirs: 'Das andere',
    both: 'Was beide geändert haben',
    none: 'Es betrifft nichts, was Sie geändert haben: Speichern Sie Ihres, dann gilt beides.',
    merged: (fields) => `Die andere Änderung bleibt: ${fields}.`,
    saveMine: 'Meines speichern',
    takeTheirs: 'Das andere nehmen',
    keepEditing: 'Weiter bearbeiten',
  },
  once: {
    only: 'Es wird nur dieses eine Mal gezeigt. Legen Sie es dort ab, wo die Anwendung ihre Geheimnisse liest.',
    lost: 'Es ist angelegt, aber die Antwort ging verloren, und es wird nie wieder gezeigt. Entfernen Sie es und legen Sie ein anderes an.',
    stored: 'Gespeichert?',
    gone: 'Das Geheimnis wird nicht noch einmal gezeigt.',
    back: 'Zurück zum Geheimnis',
    yes: 'Ja, es ist gespeichert',
  },
  pick: {
    nothing: 'Nichts gefunden',
    person: 'Name oder Adresse',
    application: 'Name oder client_id',
    permission: 'Code oder Beschreibung',
    role: 'Name oder Code',
    organisation: 'Name oder Code',
    unit: 'Name oder Code',
    service: 'Name oder Code',
    event: 'Wort oder Code',
    everything: 'Alles',
    allOf: (things) => `Alles über ${things}`,
    remove: 'Herausnehmen',
  },
  start,
  person,
  edit,
  ends,
  recover,
  profile,
  invite,
  importing,
  bulk,
  application,
  allowed,
  documents,
  proxied,
  fields,
  settings,
  exchange,
  issuers,
  secrets,
  organisation,
  upstream,
  domain,
  directory,
  mapping,
  opened,
  tryout,
  setup,
  key,
  mail,
  webhook,
  role,
  service,
  file,
  moving,
  policies,
  looks,
  installed,
  matrix,
  preview,
  trial,
  refused,
  palette,
  wizard,
  work,
  why,
  compare,
  whatIf,
  who,
  records,
  events,
  actions,
  actors,
  verified,
}
