import type { Child } from 'hono/jsx'
import type { details as englishDetails, errors as english } from './en-errors.ts'
import { phrase } from './phrase.ts'

const objectNotSupported = {
  heading: 'Questo tipo di richiesta non è supportato',
  text: 'L’applicazione ha impacchettato la sua richiesta in un modo che questo servizio non legge.',
  next: 'Avvisi chi gestisce l’applicazione. Deve inviare direttamente i parametri, senza request e request_uri.',
}

export const errors: typeof english = {
  invalid_client: {
    heading: 'Questa applicazione qui non è conosciuta',
    text: 'L’applicazione da cui proviene non è registrata oppure è stata disattivata.',
    next: 'Avvisi chi gestisce l’applicazione. Vanno controllati il client_id e se il client è attivo.',
  },
  invalid_redirect_uri: {
    heading: 'L’indirizzo di ritorno non è registrato',
    text: 'L’applicazione ha chiesto di inviarLa a un indirizzo che non è registrato per essa. Per la Sua sicurezza non si prosegue.',
    next: 'Avvisi chi gestisce l’applicazione. L’indirizzo deve corrispondere esattamente, carattere per carattere, a uno registrato.',
  },
  invalid_request: {
    heading: 'La richiesta non è valida',
    text: 'In questa richiesta manca qualcosa, oppure qualcosa non è corretto.',
    next: 'Torni all’applicazione e ricominci. Se succede di nuovo, avvisi chi gestisce l’applicazione.',
  },
  request_not_supported: objectNotSupported,
  request_uri_not_supported: objectNotSupported,
  request_expired: {
    heading: 'Questo accesso è terminato',
    text: 'È durato troppo, è già stato completato o è stato iniziato in un altro browser.',
    next: 'Torni all’applicazione e ricominci.',
  },
  setup_link_ended: {
    heading: 'Questo link non si può usare',
    text: 'È già stato usato, ha più di un’ora o è incompleto, oppure qualcuno amministra già questa installazione.',
    next: 'Controlli di aver aperto il link per intero. Altrimenti ne chieda un altro a chi gestisce questo servizio.',
  },
  upstream_invitation_ended: {
    heading: 'Questo link di configurazione non si può usare',
    text: 'È terminato, è stato aperto in un altro browser o è incompleto. Oppure chi lo ha inviato non può più darlo.',
    next: 'Continui nel browser in cui ha iniziato. Altrimenti ne chieda un altro a chi lo ha inviato.',
  },
  invitation_ended: {
    heading: 'Questo invito non si può usare',
    text: 'È già stato usato, ritirato o sostituito da uno più recente, oppure il link è incompleto.',
    next: 'Controlli di aver aperto per intero il link del messaggio più recente. Altrimenti ne chieda un altro a chi L’ha invitata.',
  },
  managed_by_file: {
    heading: 'Questo si decide altrove',
    text: 'Un file di chi gestisce questo servizio stabilisce che cosa può fare qui. Non è stato modificato nulla.',
    next: 'Si rivolga a chi L’ha invitata o a chi gestisce questo servizio.',
  },
  sign_in_required: {
    heading: 'L’accesso è terminato',
    text: 'Non ha effettuato l’accesso a questa applicazione, oppure l’accesso è terminato. Quello che ha inviato non è arrivato.',
    next: 'Apra l’applicazione in un’altra scheda ed effettui lì l’accesso. Poi torni indietro e lo invii di nuovo.',
  },
  permission_missing: {
    heading: 'Questo non Le è permesso',
    text: 'Quello che può fare in questa applicazione dipende dal Suo ruolo.',
    next: 'Chieda agli amministratori della Sua organizzazione. Se ha anche un altro ruolo, esca dall’applicazione e scelga quello.',
  },
  forward_auth_refused: {
    heading: 'Questo indirizzo non si può aprire',
    text: 'L’applicazione non lascia aprire questo indirizzo a nessuno, oppure non è stato possibile verificarlo.',
    next: 'Controlli l’indirizzo. Se dovrebbe funzionare, avvisi i responsabili dell’applicazione.',
  },
  access_denied: {
    heading: 'L’accesso non è avvenuto',
    text: 'L’accesso è stato annullato, oppure nessuno dei Suoi ruoli apre questa applicazione.',
    next: 'Apra di nuovo l’applicazione. Se dovrebbe avere accesso, chieda agli amministratori della Sua organizzazione.',
  },
  form_expired: {
    heading: 'Questo modulo è scaduto',
    text: 'La pagina è rimasta aperta troppo a lungo, oppure il browser non ha inviato i cookie. Non è stato modificato nulla.',
    next: 'Torni indietro, ricarichi la pagina e riprovi. I cookie devono essere consentiti per questo sito.',
  },
  not_found: {
    heading: 'Pagina non trovata',
    text: 'A questo indirizzo non c’è nulla.',
    next: 'Controlli l’indirizzo, oppure torni all’applicazione da cui proviene.',
  },
  method_not_allowed: {
    heading: 'Questo indirizzo non si può usare così',
    text: 'L’indirizzo esiste, ma non risponde a questo tipo di richiesta.',
    next: 'Torni all’applicazione da cui proviene e ricominci.',
  },
  too_many_requests: {
    heading: 'Troppe richieste',
    text: 'In poco tempo ci sono state più richieste di quante ne siano consentite.',
    next: 'Attenda un momento, poi riprovi.',
  },
  temporarily_unavailable: {
    heading: 'Al momento non disponibile',
    text: 'Il servizio è sovraccarico o in manutenzione.',
    next: 'Riprovi tra qualche minuto.',
  },
  server_error: {
    heading: 'Qualcosa è andato storto da parte nostra',
    text: 'Non è stato possibile completare la richiesta. Non è colpa Sua.',
    next: 'Riprovi. Se succede di nuovo, comunichi all’assistenza il numero di richiesta qui sotto.',
  },
}

export const situations = {
  no_cookies: {
    heading: 'Il Suo browser non ha inviato cookie',
    text: 'Senza cookie questo servizio non può riconoscere che un accesso è Suo. Forse il browser li blocca, o questa pagina è stata aperta in un altro browser.',
    next: 'Consenta i cookie per questo indirizzo. Poi torni all’applicazione e ricominci.',
  },
  too_many_cookies: {
    heading: 'Il Suo browser invia troppi cookie',
    text: 'Per questo indirizzo ha più cookie di quanti questo servizio ne legga. La maggior parte viene da altri servizi allo stesso indirizzo.',
    next: 'Elimini i cookie di questo indirizzo nelle impostazioni del browser e riapra la pagina.',
  },
  no_redirect_uri: {
    heading: 'Manca l’indirizzo di ritorno',
    text: 'L’applicazione non ha detto dove tornare dopo l’accesso.',
    next: 'Avvisi chi gestisce l’applicazione. Deve inviare un indirizzo registrato come redirect_uri.',
  },
  signed_in: {
    heading: 'Ha effettuato l’accesso',
    text: (client: Child) =>
      phrase`Il Suo accesso a ${client} è completato. In questa pagina non resta nulla da fare.`,
    next: 'Vada avanti nel browser, o riapra l’applicazione.',
  },
  start_again: (client: Child) => phrase`Torni a ${client} e ricominci.`,
}

export const details: typeof englishDetails = {
  session_form_open: 'Il modulo non appartiene a questa sessione. Lo apra di nuovo.',
  session_form_back: 'Il modulo non appartiene a questa sessione. Torni indietro e riprovi.',
  browser_form_open: 'Il modulo non appartiene a questo browser. Lo apra di nuovo.',
  browser_form_link: 'Il modulo non appartiene a questo browser. Apra di nuovo il link.',
  browser_form_back: 'Il modulo non appartiene a questo browser. Torni indietro e riprovi.',
  device_code: 'Il codice è scaduto o ha già avuto risposta. Ricominci sul dispositivo.',
  sign_in_over:
    'Questo accesso è terminato o è stato iniziato in un altro browser. Torni all’applicazione e ricominci.',
  not_pushed:
    'La request_uri è sconosciuta, scaduta, già usata o di un altro client. Torni all’applicazione e ricominci.',
  sign_in_done: 'Questo accesso è già completato. Torni all’applicazione.',
  no_cookie:
    'Il browser non ha inviato alcun cookie, quindi nulla mostra che questo accesso sia suo. Consenta i cookie per questo indirizzo, torni all’applicazione e ricominci.',
  no_passkeys: 'Non ci sono passkey dove l’emittente è un indirizzo IP.',
  no_mail: 'Questo servizio non invia e-mail: chieda un link a chi lo gestisce.',
  setup_link:
    'Questo link non è valido, o non lo è più. Finché nessuno amministra il servizio, il suo gestore ne crea un altro con tessera setup --link.',
  upstreamInvitation:
    'Questo link non si può usare, non più, o non in questo browser. Chi lo ha inviato può crearne un altro.',
  invitation: 'Questo link non è valido, o non lo è più. Chi L’ha invitata può inviarne un altro.',
  client: 'Il client_id manca o è sconosciuto, oppure il client è disattivato.',
  document_unknown:
    'Nessun client è registrato per il documento su {host}. Un amministratore lo registra: {command}',
  document_unread: 'Il documento del client su {host} non è utilizzabile: {reason}.',
  client_of_logout: 'Il client_id è sconosciuto, oppure il client è disattivato.',
  address_not_registered:
    'Il {name} non corrisponde esattamente a nessuno di quelli registrati per questo client.',
  hint_of_others: 'L’id_token_hint non è un token di identità di questo servizio.',
  hint_of_client: 'L’id_token_hint è stato emesso per un altro client.',
  repeated: 'Il parametro {name} è ripetuto; lo invii una sola volta.',
  too_long: 'Il parametro {name} supera i {count} caratteri.',
  nul: 'Il parametro {name} contiene un carattere NUL.',
  utf8: 'Il parametro {name} non è UTF-8 valido.',
  utf8_body: 'Il contenuto non è UTF-8 valido.',
  too_many: 'La richiesta ha più di {count} parametri.',
  objects: 'Il parametro {name} non è supportato; invii i parametri stessi.',
  purpose_of_page: 'Questa pagina non serve a questo.',
  purpose_of_sign_in: 'Questo accesso non serve a questo.',
  language: 'Servono una lingua che esista e un percorso di questo servizio a cui tornare.',
  nothing_here: 'A questo indirizzo non c’è nulla. Gli indirizzi sono in /api/doc.',
  method: 'Questo indirizzo non accetta {method}; accetta {allowed}.',
  form_type: 'Il contenuto va inviato come application/x-www-form-urlencoded.',
  too_large: 'Il contenuto è più grande di quanto questo indirizzo accetti.',
  compressed: 'Il contenuto è compresso con Content-Encoding, che qui non si legge. Lo invii così com’è.',
  cookies_too_large: 'I cookie per {host} sono più grandi di quanto questo servizio legga.',
  headers_too_large: 'Le intestazioni sono troppo grandi.',
  malformed: 'La richiesta è malformata.',
  permission_needed: 'Per questo indirizzo serve il permesso {name}.',
  no_route: 'L’applicazione non ha una rotta per questo indirizzo.',
  misasked: 'A quello che chiede il proxy non si può rispondere; il log dice perché.',
  sign_in_needed:
    'Nessuno ha effettuato l’accesso, oppure l’accesso è terminato. Apra di nuovo la pagina per accedere.',
  not_let_in: 'L’accesso è stato annullato, oppure nessuno può entrare in questo modo.',
  host: 'Manca l’intestazione Host.',
  address_missing: 'Il {name} manca.',
  expect: 'Ciò che chiede l’intestazione Expect qui non è noto.',
  authorization: 'L’intestazione Authorization è stata inviata più di una volta.',
  cut_off: 'La connessione è stata chiusa prima che la richiesta fosse letta.',
  often: 'Troppe richieste. Riprovi tra {seconds} s.',
  busy: 'Troppe persone stanno accedendo contemporaneamente. Riprovi tra qualche secondo.',
  database: 'Il servizio non raggiunge il suo database. Riprovi tra qualche secondo.',
  full: 'Il disco del database è pieno o guasto: non è stato modificato nulla. Avvisi chi gestisce il servizio.',
  server: 'Qualcosa è andato storto da parte nostra. Comunichi al gestore il numero della richiesta.',
}
