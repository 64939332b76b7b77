import type { errors as english } from './en-errors.ts'

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
