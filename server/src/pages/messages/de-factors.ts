import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import { phrase } from './phrase.ts'
import type { factors as english } from './en-factors.ts'

export const factors: typeof english = {
  secondFactor: {
    title: 'Bestätigen Sie, dass Sie es sind',
    heading: 'Bestätigen Sie, dass Sie es sind',
    lead: (account: Child) => phrase`${account}, Ihr Passwort allein reicht hier nicht.`,
    code: 'Code aus Ihrer Authenticator-App',
    hint: 'Sechs Ziffern. Jeder Code gilt einmal.',
    recoveryLead:
      'Jeder Wiederherstellungscode gilt einmal. Sie haben die Codes notiert oder gedruckt, als Sie Ihren zweiten Faktor eingerichtet haben.',
    recoveryCode: 'Wiederherstellungscode',
    recoveryHint: 'Zum Beispiel 7-K3QF-9XWM-2TRB-HDN4, mit seiner Nummer.',
    submit: 'Weiter',
    trust: (days: number) =>
      `In diesem Browser ${days === 1 ? 'einen Tag' : `${days} Tage`} nicht mehr danach fragen`,
    useKey: 'Passkey oder Sicherheitsschlüssel verwenden',
    keyFailed: 'Es wurde kein Passkey oder Sicherheitsschlüssel verwendet. Versuchen Sie es noch einmal.',
    keyNeeds:
      'Um einen Passkey oder Sicherheitsschlüssel zu verwenden, schalten Sie JavaScript in Ihrem Browser ein.',
    wrongKey:
      'Dieser Passkey oder Sicherheitsschlüssel wurde nicht angenommen. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen.',
    keySuspended:
      'Ihr Passkey oder Sicherheitsschlüssel gilt zurzeit nicht, weil es eine Kopie davon geben könnte. Verwenden Sie einen Wiederherstellungscode, oder fragen Sie die Menschen, die diesen Dienst betreiben.',
    useRecovery: 'Einen Wiederherstellungscode verwenden',
    useApp: 'Den zweiten Faktor verwenden',
    missing: 'Geben Sie den Code ein.',
    wrong:
      'Dieser Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten und geben Sie diesen ein.',
    wrongRecovery: 'Diesen Wiederherstellungscode gibt es nicht, oder er wurde schon verwendet.',
    suspended:
      'Es gab zu viele falsche Codes, deshalb gelten Codes Ihrer Authenticator-App zurzeit nicht. Verwenden Sie einen Wiederherstellungscode oder einen Browser, in dem Sie sich schon angemeldet haben, oder fragen Sie die Betreiber dieses Dienstes.',
    tooMany: (seconds: number) =>
      `Es gab zu viele falsche Codes. Bitte versuchen Sie es in ${duration('de', seconds)} noch einmal.`,
  },
  enrol: {
    title: 'Zweiten Faktor einrichten',
    heading: 'Zweiten Faktor einrichten',
    lead: (client: Child) =>
      phrase`${client} verlangt außer Ihrem Passwort einen zweiten Nachweis, dass Sie es sind.`,
    own: 'Damit weisen Sie außer mit Ihrem Passwort nach, dass Sie es sind.',
    scan: 'Lesen Sie dies mit einer Authenticator-App ein, etwa mit der Ihres Telefons oder Ihres Passwortmanagers.',
    qr: 'QR-Code mit dem Schlüssel für Ihre Authenticator-App',
    key: 'Oder geben Sie dort diesen Schlüssel ein:',
    name: 'Ein Name dafür',
    nameHint: 'Damit Sie ihn von anderen unterscheiden: zum Beispiel das Telefon.',
    defaultName: 'Authenticator-App',
    code: 'Der Code, den die App anzeigt',
    submit: 'Einrichten',
    later: 'Später',
    laterNote: (days: number) =>
      days === 1
        ? 'Sie können das später tun, bis morgen. Danach ist es nötig.'
        : `Sie können das später tun, innerhalb von ${days} Tagen. Danach ist es nötig.`,
    decline: 'Nicht einrichten',
    missing: 'Geben Sie den Code ein, den die App anzeigt.',
    wrong:
      'Das ist nicht der Code zu diesem Schlüssel. Warten Sie auf den nächsten und geben Sie diesen ein.',
    clock:
      'Die Uhr Ihres Telefons geht falsch. Lassen Sie es die Zeit selbst stellen und geben Sie dann den nächsten Code ein.',
    expired:
      'Das hat zu lange gedauert. Hier ist ein neuer Schlüssel: Lesen Sie ihn ein, und entfernen Sie den vorigen aus der App.',
    tooMany: 'Sie haben schon drei Authenticator-Apps. Entfernen Sie zuerst eine.',
    wrongName: 'Geben Sie einen Namen mit höchstens 100 Zeichen ein.',
  },
  enrolCode: {
    text: (address: Child) =>
      phrase`Geben Sie zuerst einen Code ein, der an ${address} geschickt wird: Wer nur Ihr Passwort kennt, soll nichts einrichten.`,
    sent: (address: Child) =>
      phrase`Ein Code mit acht Ziffern ist unterwegs an ${address}. Er gilt zehn Minuten, nur in diesem Browser.`,
    code: 'Code aus der Mail',
    send: 'Code schicken',
    again: 'Anderen Code schicken',
    missing: 'Geben Sie den Code aus der Mail ein.',
    wrong: 'Dieser Code ist falsch oder gilt nicht mehr. Nach fünf falschen wird ein anderer Code nötig.',
    tooMany:
      'Es wurden so viele Codes geschickt, dass es vorerst keinen weiteren gibt. Versuchen Sie es später noch einmal.',
  },
  enrolKey: {
    title: 'Passkey oder Sicherheitsschlüssel einrichten',
    passkeyText:
      'Einen Passkey bewahrt Ihr Gerät oder Ihr Passwortmanager auf. Sie melden sich dann mit dem Finger, dem Gesicht oder einer PIN an, ohne Passwort.',
    securityKeyText:
      'Ein Sicherheitsschlüssel ist ein kleines Gerät, das Sie einstecken oder ans Telefon halten. Er folgt auf Ihr Passwort.',
    passkey: 'Passkey einrichten',
    securityKey: 'Sicherheitsschlüssel einrichten',
    failed: 'Es wurde nichts eingerichtet. Versuchen Sie es noch einmal.',
    taken: 'Dieses Gerät oder dieser Schlüssel ist schon eingerichtet. Nehmen Sie einen anderen.',
    wrong: 'Dieser Passkey oder Sicherheitsschlüssel wurde nicht angenommen. Versuchen Sie es noch einmal.',
    needs:
      'Um einen Passkey oder Sicherheitsschlüssel einzurichten, schalten Sie JavaScript in Ihrem Browser ein.',
  },
  recoveryCodes: {
    title: 'Ihre Wiederherstellungscodes',
    heading: 'Bewahren Sie diese Wiederherstellungscodes auf',
    text: 'Wenn Sie Ihren zweiten Faktor verlieren, kommen Sie mit jedem von ihnen nach Ihrem Passwort einmal hinein. Sie werden jetzt angezeigt und nie wieder. Drucken Sie sie aus, oder bewahren Sie sie in Ihrem Passwortmanager auf.',
    list: 'Wiederherstellungscodes',
    saved: 'Ich habe sie aufbewahrt',
  },
  accountSignIn: {
    title: 'Wie Sie sich anmelden',
    heading: 'Wie Sie sich anmelden',
    none: 'Es gibt nur Ihr Passwort: Wer es kennt, kann sich als Sie anmelden.',
    factors: 'Zweite Faktoren',
    app: 'Authenticator-App',
    passkey: 'Passkey',
    securityKey: 'Sicherheitsschlüssel',
    made: (date: string) => `Eingerichtet am ${date}`,
    used: (date: string) => `Zuletzt verwendet am ${date}`,
    suspended: 'Nach zu vielen falschen Codes gesperrt',
    add: 'Eine Authenticator-App hinzufügen',
    addKey: 'Passkey oder Sicherheitsschlüssel hinzufügen',
    tooManyKeys:
      'Sie haben schon zehn Passkeys und Sicherheitsschlüssel. Entfernen Sie einen, um einen anderen hinzuzufügen.',
    noKeysByIp:
      'Hier gibt es keine Passkeys und Sicherheitsschlüssel: Dieser Dienst hat eine IP-Adresse und keinen Namen.',
    synced: 'Zwischen Ihren Geräten abgeglichen',
    onDevice: 'Bleibt auf einem Gerät',
    earlier: (domain: Child) => phrase`Von einer früheren Adresse (${domain}): gilt hier nicht.`,
    suspendedKey:
      'Ausgesetzt, weil es eine Kopie davon geben könnte. Entfernen Sie ihn, und richten Sie einen neuen ein.',
    elsewhere: 'Überall sonst abmelden',
    rename: 'Umbenennen',
    name: 'Name',
    remove: 'Entfernen',
    removeNamed: (name: Child) => phrase`${name} entfernen`,
    renameNamed: (name: Child) => phrase`${name} umbenennen`,
    recovery: 'Wiederherstellungscodes',
    recoveryLeft: (count: number) =>
      count === 0 ? 'Es sind keine übrig.' : count === 1 ? 'Einer ist übrig.' : `${count} sind übrig.`,
    newCodes: 'Neue Wiederherstellungscodes erzeugen',
    newCodesNote: 'Die vorigen gelten dann nicht mehr.',
    getsIn:
      'Sie sind die einzige Person, die hineinkommt, wenn die Anmeldung Ihrer Organisation ausfällt. Bitten Sie Ihre Verwaltung, zuerst jemand anderen zu benennen.',
    lastOne:
      'Das ist der letzte zweite Faktor, und hier brauchen Sie einen. Richten Sie einen anderen ein, bevor Sie ihn entfernen.',
    unknown: 'Diesen zweiten Faktor gibt es nicht mehr.',
    done: {
      removed: 'Der zweite Faktor wurde entfernt.',
      renamed: 'Der zweite Faktor hat seinen neuen Namen.',
      added: 'Der zweite Faktor ist eingerichtet.',
      password: 'Das Passwort ist geändert. Überall sonst sind Sie abgemeldet.',
    },
    proveHeading: 'Bestätigen Sie, dass Sie es sind',
    proveText: 'Weisen Sie noch einmal nach, dass Sie es sind: Es darf höchstens zehn Minuten her sein.',
    proveByKey:
      'Verwenden Sie Ihren Passkey, oder geben Sie Ihr Passwort ein und verwenden Sie Ihren Sicherheitsschlüssel. Es darf nicht länger als zehn Minuten her sein.',
    back: 'Zurück',
    password: 'Passwort',
    wrongPassword: 'Dieses Passwort ist falsch.',
    signInFirst: 'Melden Sie sich zuerst an',
    signInText: 'Sie sind hier nicht oder nicht mehr angemeldet.',
    signInAgain: 'Anmelden',
  },
}
