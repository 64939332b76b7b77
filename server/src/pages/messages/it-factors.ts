import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { factors as english } from './en-factors.ts'
import { phrase } from './phrase.ts'

export const factors: typeof english = {
  secondFactor: {
    title: 'Confermi la Sua identità',
    heading: 'Confermi la Sua identità',
    lead: (account: Child) => phrase`${account}, qui la password da sola non basta.`,
    code: 'Codice della Sua app di autenticazione',
    hint: 'Sei cifre. Ogni codice vale una volta sola.',
    recoveryLead:
      'Ogni codice di recupero vale una volta sola. Li ha annotati o stampati quando ha configurato il secondo fattore.',
    recoveryCode: 'Codice di recupero',
    recoveryHint: 'Per esempio 7-K3QF-9XWM-2TRB-HDN4, con il suo numero.',
    submit: 'Continua',
    trust: (days: number) =>
      `Non chiederlo più in questo browser per ${days === 1 ? 'un giorno' : `${days} giorni`}`,
    useKey: 'Usa una passkey o una chiave di sicurezza',
    keyFailed: 'Non è stata usata alcuna passkey o chiave di sicurezza. Riprovi.',
    keyNeeds: 'Per usare una passkey o una chiave di sicurezza, attivi JavaScript nel browser.',
    wrongKey: 'Questa passkey o chiave di sicurezza non è stata accettata. Riprovi, oppure ne usi un’altra.',
    keySuspended:
      'La Sua passkey o chiave di sicurezza al momento non vale, perché potrebbe esisterne una copia. Usi un codice di recupero, oppure si rivolga a chi gestisce questo servizio.',
    useRecovery: 'Usa un codice di recupero',
    useApp: 'Usa il secondo fattore',
    missing: 'Inserisca il codice.',
    wrong: 'Questo codice è sbagliato o è già stato usato. Attenda il prossimo e lo inserisca.',
    wrongRecovery: 'Questo codice di recupero non esiste o è già stato usato.',
    suspended:
      'Ci sono stati troppi codici sbagliati, perciò al momento i codici della Sua app di autenticazione non valgono. Usi un codice di recupero o un browser in cui ha già effettuato l’accesso, oppure si rivolga a chi gestisce questo servizio.',
    tooMany: (seconds: number) =>
      `Ci sono stati troppi codici sbagliati. Riprovi tra ${duration('it', seconds)}.`,
  },
  enrol: {
    title: 'Configurare un secondo fattore',
    heading: 'Configurare un secondo fattore',
    lead: (client: Child) =>
      phrase`Oltre alla password, ${client} chiede una seconda prova della Sua identità.`,
    own: 'Con esso dimostra la Sua identità, oltre che con la password.',
    scan: 'Scansioni questo codice con un’app di autenticazione, per esempio quella del telefono o del gestore di password.',
    qr: 'Codice QR con la chiave per la Sua app di autenticazione',
    key: 'Oppure vi inserisca questa chiave:',
    name: 'Un nome per riconoscerla',
    nameHint: 'Per distinguerla dalle altre: il telefono, per esempio.',
    defaultName: 'App di autenticazione',
    code: 'Il codice mostrato dall’app',
    submit: 'Configura',
    later: 'Più tardi',
    laterNote: (days: number) =>
      days === 1
        ? 'Può farlo più tardi, entro domani. Dopo sarà necessario.'
        : `Può farlo più tardi, entro ${days} giorni. Dopo sarà necessario.`,
    decline: 'Non configurare',
    missing: 'Inserisca il codice mostrato dall’app.',
    wrong: 'Questo non è il codice di questa chiave. Attenda il prossimo e lo inserisca.',
    clock:
      'L’orologio del telefono non è esatto. Lasci che si regoli da solo, poi inserisca il codice successivo.',
    expired: 'È passato troppo tempo. Ecco una nuova chiave: la scansioni e rimuova la precedente dall’app.',
    tooMany: 'Ha già tre app di autenticazione. Prima ne rimuova una.',
    wrongName: 'Inserisca un nome di al massimo 100 caratteri.',
  },
  enrolCode: {
    text: (address: Child) =>
      phrase`Inserisca prima un codice che viene inviato a ${address}: chi conosce solo la Sua password non deve configurare nulla.`,
    sent: (address: Child) =>
      phrase`Un codice di otto cifre è in arrivo a ${address}. Vale dieci minuti, solo in questo browser.`,
    code: 'Codice ricevuto per e-mail',
    send: 'Invia il codice',
    again: 'Invia un altro codice',
    missing: 'Inserisca il codice ricevuto per e-mail.',
    wrong: 'Questo codice è errato o non vale più. Dopo cinque codici errati ne serve un altro.',
    tooMany: 'Sono stati inviati tanti codici che per ora non ce n’è un altro. Riprovi più tardi.',
  },
  enrolKey: {
    title: 'Configurare una passkey o una chiave di sicurezza',
    passkeyText:
      'Una passkey è custodita dal dispositivo o dal gestore di password. Con essa si accede con il dito, il volto o un PIN, senza password.',
    securityKeyText:
      'Una chiave di sicurezza è un piccolo dispositivo da collegare o avvicinare al telefono. Si usa dopo la password.',
    passkey: 'Configura una passkey',
    securityKey: 'Configura una chiave di sicurezza',
    failed: 'Non è stato configurato nulla. Riprovi.',
    taken: 'Questo dispositivo o questa chiave è già configurato. Ne usi un altro.',
    wrong: 'Questa passkey o chiave di sicurezza non è stata accettata. Riprovi.',
    needs: 'Per configurare una passkey o una chiave di sicurezza, attivi JavaScript nel browser.',
  },
  recoveryCodes: {
    title: 'I Suoi codici di recupero',
    heading: 'Conservi questi codici di recupero',
    text: 'Se perde il secondo fattore, ognuno di essi Le permette di entrare una volta, dopo la password. Vengono mostrati ora e mai più. Li stampi, oppure li conservi nel gestore di password.',
    list: 'Codici di recupero',
    saved: 'Li ho conservati',
  },
  accountSignIn: {
    title: 'Come accede',
    heading: 'Come accede',
    none: 'C’è soltanto la password: chi la conosce può accedere al Suo posto.',
    factors: 'Secondi fattori',
    app: 'App di autenticazione',
    passkey: 'Passkey',
    securityKey: 'Chiave di sicurezza',
    made: (date: string) => `Configurato il ${date}`,
    used: (date: string) => `Usato l’ultima volta il ${date}`,
    suspended: 'Sospeso dopo troppi codici sbagliati',
    add: 'Aggiungi un’app di autenticazione',
    addKey: 'Aggiungi una passkey o una chiave di sicurezza',
    tooManyKeys: 'Ha già dieci passkey e chiavi di sicurezza. Ne rimuova una per aggiungerne un’altra.',
    noKeysByIp:
      'Qui non ci sono passkey e chiavi di sicurezza: questo servizio ha un indirizzo IP e nessun nome.',
    synced: 'Sincronizzata tra i Suoi dispositivi',
    onDevice: 'Resta su un solo dispositivo',
    earlier: (domain: Child) => phrase`Di un indirizzo precedente (${domain}): qui non vale.`,
    suspendedKey: 'Sospesa, perché potrebbe esisterne una copia. La rimuova e ne configuri una nuova.',
    elsewhere: 'Esci da tutti gli altri dispositivi',
    rename: 'Rinomina',
    name: 'Nome',
    remove: 'Rimuovi',
    removeNamed: (name: Child) => phrase`Rimuovi ${name}`,
    renameNamed: (name: Child) => phrase`Rinomina ${name}`,
    recovery: 'Codici di recupero',
    recoveryLeft: (count: number) =>
      count === 0 ? 'Non ne resta nessuno.' : count === 1 ? 'Ne resta uno.' : `Ne restano ${count}.`,
    newCodes: 'Crea nuovi codici di recupero',
    newCodesNote: 'Quelli precedenti non varranno più.',
    getsIn:
      'Lei è l’unica persona che entra quando l’accesso della Sua organizzazione non funziona. Chieda alla Sua amministrazione di indicarne prima un’altra.',
    lastOne: 'È l’ultimo secondo fattore, e qui ne serve uno. Ne configuri un altro prima di rimuoverlo.',
    unknown: 'Questo secondo fattore non esiste più.',
    done: {
      password: 'La password è cambiata. L’accesso è terminato in tutti gli altri posti.',
      removed: 'Il secondo fattore è stato rimosso.',
      renamed: 'Il secondo fattore ha il nuovo nome.',
      added: 'Il secondo fattore è configurato.',
    },
    proveHeading: 'Confermi la Sua identità',
    proveText:
      'Questo cambia il modo in cui accede. Dimostri ancora una volta la Sua identità: non devono essere passati più di dieci minuti.',
    proveByKey:
      'Questo cambia il modo in cui accede. Usi la passkey, oppure inserisca la password e usi la chiave di sicurezza. Non devono essere passati più di dieci minuti.',
    back: 'Torna a come accede',
    password: 'Password',
    wrongPassword: 'Questa password è sbagliata.',
    signInFirst: 'Prima acceda',
    signInText:
      'Qui non ha effettuato l’accesso. Apra l’applicazione che usa, acceda lì e torni a questa pagina.',
    signInAgain: 'Accedi',
  },
}
