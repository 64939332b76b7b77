import { phrase } from './phrase.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: typeof english = {
  upstream: {
    continue: 'Weiter mit Ihrer Organisation',
    continueWith: (name) => `Weiter mit ${name}`,
    noOrganisation:
      'Keine Organisation meldet hier Personen dieser Domain an. Prüfen Sie die Adresse, oder melden Sie sich mit Ihrem Passwort an.',
    usual: 'Wer eine Adresse dieser Domain hat, meldet sich über die eigene Organisation an.',
    noTime:
      'Die Anmeldung Ihrer Organisation sagt nicht, wann Sie sich angemeldet haben; danach fragt diese Anwendung. Melden Sie sich hier an.',
    beyond: 'Weisen Sie sich für diese Anwendung mit einem eigenen Passwort oder Passkey aus.',
    chooseTitle: 'Wie möchten Sie sich anmelden?',
    chooseText: 'Ihre Organisation hat mehrere Wege, sich anzumelden.',
    requiredTitle: (name) => `Über ${name} anmelden`,
    requiredText: (organisation) =>
      phrase`${organisation} bittet die eigenen Leute, sich über die Anmeldung der Organisation anzumelden.`,
    failedTitle: (name) => `Die Anmeldung über ${name} hat nicht geklappt`,
    back: 'Zurück zur Anmeldung',
    failed: {
      unreachable:
        'Sie antwortet nicht. Versuchen Sie es in einigen Minuten noch einmal, oder sagen Sie es denen, die sie betreiben.',
      setup:
        'Ihre Antwort ist nicht zu gebrauchen: Zwischen ihr und diesem Dienst ist etwas nicht richtig eingerichtet. Sagen Sie es Ihrer Verwaltung; die Nummer unten hilft ihr beim Suchen.',
      denied: 'Die Anmeldung wurde dort abgebrochen oder abgelehnt.',
      over: 'Die Anmeldung hat zu lange gedauert, wurde schon verwendet oder in einem anderen Browser begonnen. Beginnen Sie von vorn.',
      too_old:
        'Es war nach einer neuen Anmeldung gefragt, und geantwortet wurde mit einer älteren. Melden Sie sich dort ab, und versuchen Sie es noch einmal.',
      inactive: 'Sie ist hier im Augenblick gesperrt. Fragen Sie Ihre Verwaltung.',
      unknown_person:
        'Dort sind Sie bekannt, hier gibt es noch kein Konto für Sie. Bitten Sie Ihre Verwaltung um eine Einladung.',
      no_address: 'Sie nennt Ihre E-Mail-Adresse nicht. Bitten Sie Ihre Verwaltung, das zu ändern.',
      outside_domains:
        'Ihre Adresse ist von einer Domain, für die sie nicht spricht. Fragen Sie Ihre Verwaltung.',
      conflict:
        'Das Konto mit Ihrer Adresse gehört dort zu einer anderen Anmeldung. Bitten Sie Ihre Verwaltung, die Verknüpfung anzusehen.',
      disabled: 'Ihr Konto ist gesperrt. Fragen Sie Ihre Verwaltung.',
      needed:
        'Sie sind die einzige Person, die hineinkommt, wenn sie ausfällt. Bitten Sie Ihre Verwaltung, zuerst jemand anderen zu benennen.',
      other_person:
        'Dort haben Sie sich als jemand anderes angemeldet, als Sie hier sind. Melden Sie sich dort ab und versuchen Sie es noch einmal.',
      untimed:
        'Sie sagt nicht, wann Sie sich angemeldet haben, und kann das darum nicht neu bestätigen. Legen Sie ein eigenes Passwort fest: Melden Sie sich hier ab, und wählen Sie bei der Anmeldung, dass Sie es vergessen haben.',
      taken:
        'Diese Anmeldung gehört hier zu einem anderen Konto, oder Ihr Konto dort zu einer anderen Anmeldung. Es wurde nichts verbunden.',
    },
    ldapText: (name) => phrase`Geben Sie Namen und Passwort ein, die Sie bei ${name} verwenden.`,
    name: 'Benutzername oder E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    wrongCredentials:
      'Name und Passwort passen nicht zusammen. Prüfen Sie beides und versuchen Sie es noch einmal.',
    throttled: 'Es gab zu viele falsche Passwörter. Versuchen Sie es in einer Viertelstunde noch einmal.',
    missing: 'Geben Sie Ihren Namen und Ihr Passwort ein.',
    provedTitle: 'Sie haben es bestätigt',
    provedText: 'Ihr Nachweis gilt zehn Minuten. Fahren Sie nun mit dem fort, was Sie vorhatten.',
    linksTitle: 'Anmeldungen von Organisationen',
    linkedSince: (date) => `Verbunden am ${date}`,
    lastWay:
      'Das ist Ihr einziger Weg ins Konto. Richten Sie ein eigenes Passwort oder einen Passkey ein, bevor Sie ihn entfernen.',
    connectWith: (name) => `Mit ${name} verbinden`,
    connectHere: (who) => phrase`Hier sind Sie ${who}.`,
    connectKnown: (who, name) => phrase`${name} nennt Sie ${who}.`,
    connectText: (name) =>
      phrase`Wer sich dort als diese Person anmeldet, kann sich künftig über ${name} bei Ihrem Konto anmelden.`,
    connectBreakGlass:
      'Sie gehören zu denen, die hineinkommen, wenn die Anmeldung dieser Organisation ausfällt. Wenn Sie sie verbinden, gehören Sie nicht mehr dazu.',
    connectRefused: {
      unproved:
        'Noch hat niemand bestätigt, dass dieses Konto Ihres ist. Melden Sie sich ab, wählen Sie bei der Anmeldung, dass Sie Ihr Passwort vergessen haben, und legen Sie über die E-Mail ein neues fest.',
      notOffered:
        'Diese Anmeldung lässt sich jetzt nicht verbinden: Sie ist schon verbunden, ist abgeschaltet, oder öffnet mehr als das, was Sie bestätigt haben.',
    },
    connectDone: {
      connected: 'Die Anmeldung ist verbunden.',
      unlinked: 'Die Anmeldung wurde entfernt.',
      over: 'Das hat zu lange gedauert. Es wurde nichts verbunden.',
    },
    guestTitle: 'Ihre Adresse bestätigen',
    guestText: (email, name) =>
      phrase`${name} meldet Sie an, spricht aber nicht für die Domain von ${email}. Zeigen Sie, dass die Adresse Ihre ist.`,
    linkTitle: 'Die beiden Anmeldungen verbinden?',
    linkText: (email, name) =>
      phrase`Das Konto mit ${email} gibt es schon. Künftig könnten Sie sich auch über ${name} anmelden.`,
    linkAs: (subject, name) => phrase`Bei ${name} sind Sie ${subject}.`,
    link: 'Verbinden',
    notNow: 'Jetzt nicht',
  },
}
