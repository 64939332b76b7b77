import type { errors as english } from './en-errors.ts'
import type { Translated } from './translated.ts'

const objectNotSupported = {
  heading: 'Questo tipo di richiesta non è supportato',
  text: 'L’applicazione ha impacchettato la sua richiesta in un modo che questo servizio non legge.',
  next: 'Avvisi chi gestisce l’applicazione. Deve inviare direttamente i parametri, senza request e request_uri.',
}

export const errors: Translated<typeof english> = {
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
