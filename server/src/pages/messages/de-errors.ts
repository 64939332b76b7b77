import type { Child } from 'hono/jsx'
import type { details as englishDetails, errors as english } from './en-errors.ts'
import { phrase } from './phrase.ts'

const objectNotSupported = {
  heading: 'Diese Art von Anfrage wird nicht unterstützt',
  text: 'Die Anwendung hat ihre Anfrage so verpackt, dass dieser Dienst sie nicht liest.',
  next: 'Wenden Sie sich an die Betreiber der Anwendung. Sie sollten die Parameter selbst senden, ohne request und request_uri.',
}

export const errors: typeof english = {
  invalid_client: {
    heading: 'Diese Anwendung ist hier nicht bekannt',
    text: 'Die Anwendung, von der Sie kommen, ist nicht registriert oder wurde abgeschaltet.',
    next: 'Wenden Sie sich an die Betreiber der Anwendung. Zu prüfen sind die client_id und ob der Client aktiv ist.',
  },
  invalid_redirect_uri: {
    heading: 'Die Rücksprungadresse ist nicht registriert',
    text: 'Die Anwendung wollte Sie an eine Adresse weiterleiten, die für sie nicht registriert ist. Zu Ihrer Sicherheit geht es hier nicht weiter.',
    next: 'Wenden Sie sich an die Betreiber der Anwendung. Die Adresse muss Zeichen für Zeichen mit einer registrierten übereinstimmen.',
  },
  invalid_request: {
    heading: 'Die Anfrage ist ungültig',
    text: 'In dieser Anfrage fehlt etwas, oder etwas ist fehlerhaft.',
    next: 'Kehren Sie zur Anwendung zurück und beginnen Sie von vorn. Wenn es wieder geschieht, wenden Sie sich an die Betreiber der Anwendung.',
  },
  request_not_supported: objectNotSupported,
  request_uri_not_supported: objectNotSupported,
  request_expired: {
    heading: 'Diese Anmeldung ist beendet',
    text: 'Sie hat zu lange gedauert, wurde schon abgeschlossen oder in einem anderen Browser begonnen.',
    next: 'Kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
  },
  setup_link_ended: {
    heading: 'Dieser Link lässt sich nicht verwenden',
    text: 'Er wurde schon verwendet, ist älter als eine Stunde oder unvollständig, oder jemand verwaltet diese Installation inzwischen.',
    next: 'Prüfen Sie, ob Sie den ganzen Link geöffnet haben. Sonst bitten Sie die Betreiber dieses Dienstes um einen neuen.',
  },
  upstream_invitation_ended: {
    heading: 'Dieser Einrichtungslink lässt sich nicht verwenden',
    text: 'Er ist zu Ende, wurde in einem anderen Browser geöffnet oder ist unvollständig. Oder wer ihn geschickt hat, darf ihn nicht mehr vergeben.',
    next: 'Machen Sie in dem Browser weiter, in dem Sie begonnen haben. Bitten Sie sonst die Person, die ihn geschickt hat, um einen neuen.',
  },
  invitation_ended: {
    heading: 'Diese Einladung gilt nicht',
    text: 'Sie wurde schon benutzt, zurückgezogen oder durch eine neuere ersetzt, oder der Link ist unvollständig.',
    next: 'Prüfen Sie, ob Sie den ganzen Link der neuesten Nachricht geöffnet haben. Bitten Sie sonst die Person, die Sie eingeladen hat, um einen neuen.',
  },
  managed_by_file: {
    heading: 'Das wird woanders entschieden',
    text: 'Was Sie hier tun dürfen, steht in einer Datei derer, die diesen Dienst betreiben. Nichts wurde geändert.',
    next: 'Fragen Sie die Person, die Sie eingeladen hat, oder die Betreiber dieses Dienstes.',
  },
  sign_in_required: {
    heading: 'Ihre Anmeldung ist beendet',
    text: 'Sie sind bei dieser Anwendung nicht angemeldet, oder Ihre Anmeldung ist beendet. Was Sie gesendet haben, ist dort nicht angekommen.',
    next: 'Öffnen Sie die Anwendung in einem anderen Tab und melden Sie sich dort an. Gehen Sie dann zurück und senden Sie es noch einmal.',
  },
  permission_missing: {
    heading: 'Das dürfen Sie nicht',
    text: 'Was Sie in dieser Anwendung tun dürfen, hängt von Ihrer Rolle ab.',
    next: 'Fragen Sie die Administratoren Ihrer Organisation. Haben Sie noch eine andere Rolle, melden Sie sich von der Anwendung ab und wählen Sie diese.',
  },
  forward_auth_refused: {
    heading: 'Diese Adresse lässt sich nicht öffnen',
    text: 'Die Anwendung lässt niemanden diese Adresse öffnen, oder sie konnte nicht geprüft werden.',
    next: 'Prüfen Sie die Adresse. Sollte sie funktionieren, sagen Sie es den Betreibern der Anwendung.',
  },
  access_denied: {
    heading: 'Sie wurden nicht angemeldet',
    text: 'Die Anmeldung wurde abgebrochen, oder keine Ihrer Rollen öffnet diese Anwendung.',
    next: 'Öffnen Sie die Anwendung noch einmal. Sollten Sie Zugang haben, fragen Sie die Administratoren Ihrer Organisation.',
  },
  form_expired: {
    heading: 'Dieses Formular ist abgelaufen',
    text: 'Die Seite war zu lange geöffnet, oder der Browser hat keine Cookies gesendet. Es wurde nichts geändert.',
    next: 'Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal. Cookies müssen für diese Website erlaubt sein.',
  },
  not_found: {
    heading: 'Seite nicht gefunden',
    text: 'Unter dieser Adresse gibt es nichts.',
    next: 'Prüfen Sie die Adresse, oder kehren Sie zu der Anwendung zurück, von der Sie kommen.',
  },
  method_not_allowed: {
    heading: 'So lässt sich diese Adresse nicht verwenden',
    text: 'Die Adresse gibt es, aber sie beantwortet diese Art von Anfrage nicht.',
    next: 'Kehren Sie zu der Anwendung zurück, von der Sie kommen, und beginnen Sie von vorn.',
  },
  too_many_requests: {
    heading: 'Zu viele Anfragen',
    text: 'In kurzer Zeit kamen mehr Anfragen, als erlaubt sind.',
    next: 'Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
  },
  temporarily_unavailable: {
    heading: 'Zurzeit nicht verfügbar',
    text: 'Der Dienst ist ausgelastet oder wird gerade gewartet.',
    next: 'Bitte versuchen Sie es in ein paar Minuten noch einmal.',
  },
  server_error: {
    heading: 'Bei uns ist etwas schiefgegangen',
    text: 'Die Anfrage konnte nicht abgeschlossen werden. Das lag nicht an Ihnen.',
    next: 'Bitte versuchen Sie es noch einmal. Wenn es wieder geschieht, nennen Sie dem Support die Anfragenummer unten auf der Seite.',
  },
}

export const situations = {
  no_cookies: {
    heading: 'Ihr Browser hat keine Cookies gesendet',
    text: 'Ohne Cookies kann dieser Dienst nicht erkennen, dass eine Anmeldung Ihre ist. Vielleicht blockiert Ihr Browser sie, oder diese Seite wurde in einem anderen Browser geöffnet.',
    next: 'Lassen Sie Cookies für diese Adresse zu. Kehren Sie dann zur Anwendung zurück und beginnen Sie von vorn.',
  },
  too_many_cookies: {
    heading: 'Ihr Browser sendet zu viele Cookies',
    text: 'Er hat für diese Adresse mehr Cookies, als dieser Dienst liest. Die meisten stammen von anderen Diensten unter derselben Adresse.',
    next: 'Löschen Sie in den Einstellungen des Browsers die Cookies dieser Adresse, und öffnen Sie die Seite noch einmal.',
  },
  no_redirect_uri: {
    heading: 'Die Rücksprungadresse fehlt',
    text: 'Die Anwendung hat nicht gesagt, wohin es nach der Anmeldung zurückgeht.',
    next: 'Wenden Sie sich an die Betreiber der Anwendung. Sie sollen eine registrierte Adresse als redirect_uri senden.',
  },
  signed_in: {
    heading: 'Sie sind angemeldet',
    text: (client: Child) =>
      phrase`Ihre Anmeldung bei ${client} ist abgeschlossen. Auf dieser Seite ist nichts mehr zu tun.`,
    next: 'Gehen Sie im Browser vorwärts, oder öffnen Sie die Anwendung noch einmal.',
  },
  start_again: (client: Child) => phrase`Kehren Sie zu ${client} zurück und beginnen Sie von vorn.`,
}

export const details: typeof englishDetails = {
  session_form_open: 'Das Formular gehört nicht zu dieser Sitzung. Öffnen Sie es noch einmal.',
  session_form_back:
    'Das Formular gehört nicht zu dieser Sitzung. Gehen Sie zurück und versuchen Sie es noch einmal.',
  browser_form_open: 'Das Formular gehört nicht zu diesem Browser. Öffnen Sie es noch einmal.',
  browser_form_link: 'Das Formular gehört nicht zu diesem Browser. Öffnen Sie den Link noch einmal.',
  browser_form_back:
    'Das Formular gehört nicht zu diesem Browser. Gehen Sie zurück und versuchen Sie es noch einmal.',
  device_code: 'Der Code ist abgelaufen oder wurde schon beantwortet. Beginnen Sie auf dem Gerät von vorn.',
  sign_in_over:
    'Diese Anmeldung ist beendet oder wurde in einem anderen Browser begonnen. Kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
  not_pushed:
    'Die request_uri ist unbekannt, abgelaufen, schon verwendet oder gehört einem anderen Client. Kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
  sign_in_done: 'Diese Anmeldung ist schon abgeschlossen. Kehren Sie zur Anwendung zurück.',
  no_cookie:
    'Der Browser hat kein Cookie gesendet, also zeigt nichts, dass diese Anmeldung seine ist. Lassen Sie Cookies für diese Adresse zu, kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
  no_passkeys: 'Wo der Issuer eine IP-Adresse ist, gibt es keine Passkeys.',
  no_mail: 'Dieser Dienst verschickt keine E-Mails: Bitten Sie die Betreiber um einen Link.',
  setup_link:
    'Dieser Link gilt nicht oder nicht mehr. Solange niemand den Dienst verwaltet, macht sein Betreiber mit tessera setup --link einen neuen.',
  upstreamInvitation:
    'Dieser Link gilt nicht, nicht mehr oder nicht in diesem Browser. Wer ihn geschickt hat, kann einen anderen erstellen.',
  invitation: 'Dieser Link gilt nicht oder nicht mehr. Wer Sie eingeladen hat, kann einen neuen senden.',
  client: 'Die client_id fehlt oder ist unbekannt, oder der Client ist abgeschaltet.',
  document_unknown:
    'Für das Dokument auf {host} ist kein Client registriert. Wer diesen Dienst verwaltet, registriert es: {command}',
  document_unread: 'Das Dokument des Clients auf {host} lässt sich nicht verwenden: {reason}.',
  client_of_logout: 'Die client_id ist unbekannt, oder der Client ist abgeschaltet.',
  address_not_registered:
    'Die {name} stimmt mit keiner genau überein, die für diesen Client registriert ist.',
  hint_of_others: 'Der id_token_hint ist kein ID-Token dieses Dienstes.',
  hint_of_client: 'Der id_token_hint wurde für einen anderen Client ausgestellt.',
  repeated: 'Der Parameter {name} kommt mehrfach vor; senden Sie ihn einmal.',
  too_long: 'Der Parameter {name} ist länger als {count} Zeichen.',
  nul: 'Der Parameter {name} enthält ein NUL-Zeichen.',
  utf8: 'Der Parameter {name} ist kein gültiges UTF-8.',
  utf8_body: 'Der Inhalt ist kein gültiges UTF-8.',
  too_many: 'Die Anfrage hat mehr als {count} Parameter.',
  objects: 'Der Parameter {name} wird nicht unterstützt; senden Sie die Parameter selbst.',
  purpose_of_page: 'Diesen Zweck hat die Seite nicht.',
  purpose_of_sign_in: 'Diesen Zweck hat die Anmeldung nicht.',
  language: 'Nötig sind eine Sprache, die es gibt, und ein Pfad dieses Dienstes, zu dem es zurückgeht.',
  nothing_here: 'Unter dieser Adresse gibt es nichts. Die Adressen stehen in /api/doc.',
  method: 'Diese Adresse nimmt {method} nicht an, sondern {allowed}.',
  form_type: 'Der Inhalt muss als application/x-www-form-urlencoded gesendet werden.',
  too_large: 'Der Inhalt ist größer, als diese Adresse annimmt.',
  compressed:
    'Der Inhalt ist mit Content-Encoding komprimiert, was hier nicht gelesen wird. Senden Sie ihn, wie er ist.',
  cookies_too_large: 'Die Cookies für {host} sind größer, als dieser Dienst liest.',
  headers_too_large: 'Die Kopfzeilen sind zu groß.',
  malformed: 'Die Anfrage ist fehlerhaft.',
  permission_needed: 'Für diese Adresse ist die Berechtigung {name} nötig.',
  no_route: 'Die Anwendung hat keine Route für diese Adresse.',
  misasked: 'Die Frage des Proxys lässt sich nicht beantworten; das Protokoll sagt, warum.',
  sign_in_needed:
    'Niemand ist angemeldet, oder die Anmeldung ist beendet. Öffnen Sie die Seite noch einmal, um sich anzumelden.',
  not_let_in: 'Die Anmeldung wurde abgebrochen, oder niemand darf damit eintreten.',
  host: 'Die Kopfzeile Host fehlt.',
  address_missing: 'Die {name} fehlt.',
  expect: 'Die Erwartung in der Kopfzeile Expect ist hier nicht bekannt.',
  authorization: 'Die Kopfzeile Authorization wurde mehrfach gesendet.',
  cut_off: 'Die Verbindung wurde geschlossen, bevor die Anfrage gelesen war.',
  often: 'Zu viele Anfragen. Versuchen Sie es in {seconds} s noch einmal.',
  busy: 'Zu viele Menschen melden sich gleichzeitig an. Versuchen Sie es in ein paar Sekunden noch einmal.',
  database: 'Der Dienst erreicht seine Datenbank nicht. Versuchen Sie es in ein paar Sekunden noch einmal.',
  full: 'Die Festplatte der Datenbank ist voll oder fällt aus: Es wurde nichts geändert. Sagen Sie es denen, die den Dienst betreiben.',
  server: 'Bei uns ist etwas schiefgegangen. Nennen Sie dem Betreiber die Anfragenummer.',
}
