import type { Child } from 'hono/jsx'
import { account } from './de-account.ts'
import { details, errors, situations } from './de-errors.ts'
import { invitation } from './de-invitation.ts'
import { factors } from './de-factors.ts'
import { duration } from './duration.ts'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'
import { notices } from './de-notices.ts'
import { recovery } from './de-recovery.ts'
import { trial } from './de-trial.ts'
import { connect } from './de-connect.ts'
import { upstream } from './de-upstream.ts'

export const de: Messages = {
  common: {
    errorPrefix: 'Fehler:',
    request: 'Anfrage',
    cancel: 'Abbrechen',
    continue: 'Weiter',
    useAnotherAccount: 'Anderes Konto verwenden',
    signedInAs: (account: Child) => phrase`Angemeldet als ${account}`,
    newTab: '(öffnet in einem neuen Tab)',
    language: 'Sprache',
    help: 'Hilfe',
    privacy: 'Datenschutz',
    terms: 'Nutzungsbedingungen',
    showPassword: 'Anzeigen',
    hidePassword: 'Verbergen',
    copy: 'Kopieren',
    copied: 'Kopiert',
  },
  front: {
    title: 'Anmeldung und Zugriff',
    heading: 'Anmeldung und Zugriff',
    text: 'Anwendungen leiten Sie hierher, damit Sie sich anmelden. Öffnen Sie dazu die Anwendung, die Sie verwenden möchten.',
    signIn: 'Anmelden, um Ihre Anwendungen und Ihr Konto zu sehen',
    developers: 'Für die Entwicklung',
    issuer: 'Aussteller (issuer)',
    description: 'Beschreibung der Schnittstelle, zum Lesen und Ausprobieren',
    discovery: 'Discovery-Dokument',
  },
  password: {
    title: (client: string) => `Bei ${client} anmelden`,
    heading: 'Anmelden',
    lead: (client: Child) => phrase`und weiter zu ${client}`,
    againHeading: 'Bitte melden Sie sich noch einmal an',
    againLead: (account: Child, client: Child) =>
      phrase`${account}, bitte bestätigen Sie, dass Sie es sind, bevor es mit ${client} weitergeht.`,
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    missingEmail: 'Geben Sie Ihre E-Mail-Adresse ein.',
    missingPassword: 'Geben Sie Ihr Passwort ein.',
    wrongCredentials:
      'E-Mail-Adresse und Passwort passen nicht zusammen. Prüfen Sie beides und versuchen Sie es noch einmal.',
    tooManyAttempts: (seconds: number) =>
      `Es gab zu viele Anmeldeversuche. Bitte versuchen Sie es in ${duration('de', seconds)} noch einmal.`,
    busy: (seconds: number) =>
      `Gerade melden sich sehr viele Personen an. Bitte versuchen Sie es in ${duration('de', seconds)} noch einmal.`,
    passkey: 'Mit einem Passkey anmelden',
    passkeyFailed:
      'Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem Passwort an.',
    passkeyRefused:
      'Dieser Passkey wurde nicht angenommen. Melden Sie sich mit Ihrem Passwort oder mit einem anderen Passkey an.',
    passkeyNeeds: 'Um sich mit einem Passkey anzumelden, schalten Sie JavaScript in Ihrem Browser ein.',
  },
  firstAdministrator: {
    title: 'Die Verwaltung einrichten',
    heading: 'Die Verwaltung einrichten',
    lead: 'Wen Sie hier eintragen, verwaltet die ganze Installation. Diese Seite lässt sich einmal verwenden.',
    name: 'Ihr Name',
    email: 'Ihre E-Mail-Adresse',
    password: 'Ein Passwort',
    passwordHint: (least: number, most: number) =>
      `${least} bis ${most} Zeichen. Am besten sind mehrere Wörter.`,
    again: 'Das Passwort noch einmal',
    submit: 'Einrichten',
    wrongName: {
      missing: 'Geben Sie Ihren Namen ein.',
      wrong: 'Geben Sie einen Namen mit höchstens 200 Zeichen ein, ohne unsichtbare.',
    },
    wrongEmail: {
      missing: 'Geben Sie Ihre E-Mail-Adresse ein.',
      wrong: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel lena.hoff@example.com.',
      taken: 'Diese E-Mail-Adresse gehört schon jemandem. Geben Sie eine andere ein.',
    },
    wrongPassword: (least: number, most: number) => ({
      missing: 'Geben Sie ein Passwort ein.',
      too_short: `Das Passwort braucht mindestens ${least} Zeichen.`,
      too_long: `Das Passwort darf höchstens ${most} Zeichen haben.`,
      untypable: 'Das Passwort enthält ein Zeichen, das sich nicht eintippen lässt.',
      too_common:
        'Dieses Passwort gehört zu denen, die zuerst erraten werden. Nehmen Sie mehrere Wörter oder eines aus einem Passwortmanager.',
      differs: 'Die beiden Passwörter stimmen nicht überein. Geben Sie beide noch einmal ein.',
    }),
  },
  firstAdministratorMade: {
    title: 'Die Verwaltung ist eingerichtet',
    heading: 'Sie verwalten diese Installation',
    text: (email: Child) =>
      phrase`Ab jetzt meldet sich ${email} mit dem Passwort an, das Sie gerade gewählt haben.`,
    steps: 'Ihre ersten Schritte',
    secure: (link: Child) => phrase`Sie sind angemeldet: ${link}.`,
    secureLink: 'richten Sie einen zweiten Faktor ein',
    manage: (link: Child) => phrase`Verwalten Sie Personen und Anwendungen in ${link}.`,
    manageLink: 'der Konsole',
    registerLink: 'Verbinden Sie eine Anwendung',
    register: (command: Child) => phrase`Registrieren Sie eine Anwendung: ${command} kennt viele mit Namen.`,
    peopleLink: 'Laden Sie jemanden ein',
    people: (command: Child) => phrase`Tragen Sie Personen ein: ${command}.`,
    next: (description: Child) =>
      phrase`Diese Seite lässt sich nicht noch einmal verwenden. Was Sie ab jetzt mit dem Befehl oder über die Schnittstelle verwalten können, steht in der ${description}.`,
    description: 'Beschreibung der Schnittstelle',
  },
  chooseProfile: {
    title: (client: string) => `Profil für ${client} wählen`,
    heading: 'Profil wählen',
    lead: (client: Child) => phrase`Davon hängt ab, was Sie in ${client} sehen und tun können.`,
    legend: 'Ihre Profile',
    last: 'Zuletzt verwendet',
    notAvailable: 'Dieses Profil ist nicht mehr verfügbar. Wählen Sie ein anderes.',
  },
  consent: {
    title: (client: string) => `${client} zulassen?`,
    heading: (client: Child) => phrase`Darf ${client} Ihr Konto verwenden?`,
    scopesHeading: (client: Child) => phrase`Das erhält ${client}`,
    scopes: {
      openid: {
        label: 'Wer Sie hier sind',
        text: 'Eine Kennung Ihres Kontos und das Profil, das Sie verwenden: Rolle, Organisation und Einheit.',
      },
      email: { label: 'Ihre E-Mail-Adresse', text: 'Die Adresse und ob sie bestätigt ist.' },
      profile: {
        label: 'Ihre persönlichen Angaben',
        text: 'Name, Benutzername, Bild, Sprache und Zeitzone, soweit bekannt.',
      },
      'service.api': {
        label: 'Zugriff auf Dienste in Ihrem Namen',
        text: 'Was unten steht, soweit das verwendete Profil es erlaubt.',
      },
      groups: {
        label: 'Ihre Gruppen',
        text: 'Namen, unter denen die Anwendung Sie einordnet: aus Ihrer Rolle, Ihrer Organisation oder dem, was Sie dürfen.',
      },
      offline_access: {
        label: 'Zugriff, während Sie nicht da sind',
        text: 'Sie darf erneuern, was sie erhalten hat, bis Sie sich abmelden.',
      },
    },
    more: (client: Child) => phrase`Sie haben ${client} schon etwas erlaubt. Neues ist gekennzeichnet.`,
    isNew: 'Neu',
    administration: 'Verwaltung dieses Dienstes',
    nothingThere: 'Die Anwendung darf diesen Dienst aufrufen und hat dort keine Berechtigung.',
    moreThere: (count: number) => `${count} weitere`,
    onwardHeading: 'Das dürfen diese Dienste anderswo für Sie tun',
    otherPlaces: 'Ihr Browser kann auch hierhin geschickt werden',
    actions: { read: 'sehen', create: 'hinzufügen', update: 'ändern', delete: 'entfernen' },
    resources: {
      users: 'Personen',
      organisations: 'Organisationen',
      units: 'Einheiten',
      profiles: 'Profile',
      roles: 'Rollen',
      permissions: 'Berechtigungen',
      services: 'Dienste',
      clients: 'Anwendungen und Maschinen',
      sessions: 'Sitzungen',
      consents: 'Einwilligungen',
      keys: 'Signaturschlüssel',
      audit: 'Audit',
      access: 'Zugriff',
      webhooks: 'Webhooks',
      invitations: 'Einladungen',
      mails: 'E-Mails',
    },
    claims: {
      email: 'Ihre E-Mail-Adresse',
      name: 'Ihr Name',
      given_name: 'Ihr Vorname',
      family_name: 'Ihr Nachname',
      preferred_username: 'Ihr Benutzername',
      picture: 'Die Adresse Ihres Bildes',
      locale: 'Ihre Sprache',
      zoneinfo: 'Ihre Zeitzone',
      former_sub: 'Ihre Kennung beim Dienst davor',
      groups: 'Ihre Gruppen',
    },
    permissionsAt: (service: Child) => phrase`Was das verwendete Profil bei ${service} erlaubt`,
    unknownScope: 'Eine weitere Berechtigung mit diesem Namen.',
    documentAt: (host: Child) => phrase`Sie ist von ${host}. Erlauben Sie nur, was Sie begonnen haben.`,
    toProgram: 'Was Sie erlauben, geht an ein Programm auf diesem Computer.',
    returnTo: (host: Child) => phrase`Danach kehrt Ihr Browser zu ${host} zurück.`,
    publisher: (name: Child) => phrase`Herausgegeben von ${name}`,
    about: (link: Child) => phrase`Über diese Anwendung: ${link}`,
    withdraw: (page: Child) => phrase`Sie können dies jederzeit selbst widerrufen: ${page}.`,
    allow: 'Zulassen',
    deny: 'Nicht zulassen',
  },
  device: {
    title: 'Ein Gerät verbinden',
    heading: 'Ein Gerät verbinden',
    lead: 'Geben Sie den Code ein, den Ihr Gerät oder Programm anzeigt.',
    code: 'Code',
    hint: 'Acht Buchstaben, zum Beispiel BCDF-GHJK.',
    missing: 'Geben Sie den Code ein.',
    unknown:
      'Diesen Code gibt es nicht, oder er ist abgelaufen. Vergleichen Sie ihn mit Ihrem Gerät, oder beginnen Sie dort noch einmal.',
    tooMany: (seconds: number) =>
      `Es gab zu viele falsche Codes. Bitte versuchen Sie es in ${duration('de', seconds)} noch einmal.`,
    note: 'Sie werden gefragt, bevor das Gerät etwas erhält.',
  },
  confirmDevice: {
    title: (client: string) => `${client} auf einem Gerät zulassen?`,
    heading: (client: Child) => phrase`Darf ${client} auf einem Gerät Ihr Konto verwenden?`,
    compare: 'Ihr Gerät muss genau diesen Code anzeigen:',
    warning: 'Fahren Sie nur fort, wenn Sie das selbst begonnen haben, auf Ihrem eigenen Gerät.',
    why: (client: Child) =>
      phrase`Hat Ihnen jemand den Code oder einen Link zu dieser Seite geschickt, dann soll ${client} in Ihrem Namen verwendet werden.`,
  },
  deviceDone: {
    allowed: {
      title: 'Ihr Gerät ist verbunden',
      heading: 'Ihr Gerät ist verbunden',
      text: 'Weiter geht es auf Ihrem Gerät. Sie können diese Seite jetzt schließen.',
    },
    denied: {
      title: 'Nichts wurde erlaubt',
      heading: 'Nichts wurde erlaubt',
      text: 'Das Gerät erhält keinen Zugriff auf Ihr Konto. Sie können diese Seite jetzt schließen.',
    },
    allowedBefore: {
      title: 'Dieses Gerät wurde schon vorher zugelassen',
      heading: 'Dieses Gerät wurde schon vorher zugelassen',
      text: 'Es hat seinen Zugriff bereits: Sie oder jemand anderes haben ihn erlaubt. Ihre Ablehnung hat nichts geändert. Haben Sie ihn aus Versehen erlaubt, dann nehmen Sie ihn in Ihrem Konto zurück.',
    },
  },
  signedOut: {
    title: 'Abgemeldet',
    heading: 'Sie sind abgemeldet',
    text: 'Ihre Sitzung ist beendet. Sie können diese Seite jetzt schließen.',
    shared: 'Wenn auch andere diesen Computer benutzen, schließen Sie bitte alle Browserfenster.',
    again: 'Wieder anmelden',
  },
  confirmLogout: {
    title: 'Abmelden?',
    heading: 'Möchten Sie sich abmelden?',
    text: 'Damit endet Ihre Sitzung in diesem Browser und zugleich Ihre Anmeldung bei allen Anwendungen, die Sie von hier aus geöffnet haben.',
    textClient: (client: Child) =>
      phrase`Damit endet Ihre Sitzung in diesem Browser und zugleich Ihre Anmeldung bei ${client} und allen anderen Anwendungen, die Sie von hier aus geöffnet haben.`,
    textHere: (client: Child) =>
      phrase`Damit endet Ihre Anmeldung bei ${client} in diesem Browser. Bei allen anderen Anwendungen bleiben Sie angemeldet.`,
    submit: 'Abmelden',
    stay: 'Angemeldet bleiben',
  },
  noProfile: {
    title: 'Noch kein Zugriff',
    heading: 'Sie haben noch keinen Zugriff',
    text: (account: Child, client: Child) =>
      phrase`Sie sind als ${account} angemeldet, aber diesem Konto hat noch niemand ein Profil gegeben. Ohne Profil können Sie ${client} nicht verwenden.`,
    textElsewhere: (account: Child, client: Child) =>
      phrase`Sie sind als ${account} angemeldet, und keines Ihrer Profile gehört zu der Organisation von ${client}.`,
    textShut: (account: Child, client: Child) =>
      phrase`Sie sind als ${account} angemeldet, und keines Ihrer Profile öffnet ${client}.`,
    textWaits: (account: Child, client: Child) =>
      phrase`Sie sind als ${account} angemeldet, und die Profile dieses Kontos warten: Noch hat niemand gezeigt, dass es Ihnen gehört. Lassen Sie sich einen Link schicken und setzen Sie damit ein neues Passwort. Danach können Sie ${client} verwenden.`,
    sendLink: 'Link an mich senden',
    whoGives: 'Zugriff geben kann Ihnen, wer eine dieser Rollen hat:',
    ask: 'Bitten Sie die Person, die in Ihrer Organisation die Zugriffe verwaltet, diesem Konto ein Profil zu geben. Die Anfragenummer unten auf der Seite hilft ihr, den Vorgang zu finden.',
    continue: (client: Child) => phrase`Zurück zu ${client}`,
  },
  formPost: {
    title: (place: string) => `Zurück zu ${place}`,
    heading: 'Zurück zur Anwendung',
    text: (place: Child) =>
      phrase`Ihr Browser kehrt zu ${place} zurück. Wenn das nicht von selbst geschieht, drücken Sie den Knopf.`,
  },
  ...factors,
  account,
  ...notices,
  ...recovery,
  ...upstream,
  ...trial,
  ...connect,
  invitation,
  errorPage: {
    technical: 'Technische Angaben',
    code: 'Fehlercode',
    description: 'Beschreibung',
    returnAddress: 'Rücksprungadresse',
    unknown: {
      heading: 'Etwas ist schiefgegangen',
      text: 'Die Anfrage konnte nicht abgeschlossen werden.',
      next: 'Kehren Sie zur Anwendung zurück und beginnen Sie von vorn. Wenn das nicht hilft, nennen Sie dem Support die Anfragenummer unten auf der Seite.',
    },
    codes: errors,
    situations,
    details,
  },
}
