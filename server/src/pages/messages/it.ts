import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { Messages } from './en.ts'
import { details, errors, situations } from './it-errors.ts'
import { factors } from './it-factors.ts'
import { people } from './it-people.ts'
import { notices } from './it-notices.ts'
import { phrase } from './phrase.ts'
import { recovery } from './it-recovery.ts'
import { trial } from './it-trial.ts'
import { connect } from './it-connect.ts'
import { upstream } from './it-upstream.ts'

export const it: Messages = {
  common: {
    errorPrefix: 'Errore:',
    request: 'Richiesta',
    cancel: 'Annulla',
    continue: 'Continua',
    useAnotherAccount: 'Usa un altro account',
    signedInAs: (account: Child) => phrase`Accesso effettuato come ${account}`,
    newTab: '(si apre in una nuova scheda)',
    language: 'Lingua',
    help: 'Aiuto',
    privacy: 'Privacy',
    terms: 'Condizioni',
    showPassword: 'Mostra',
    hidePassword: 'Nascondi',
    copy: 'Copia',
    copied: 'Copiato',
  },
  front: {
    signIn: 'Acceda per vedere le Sue applicazioni e il Suo account',
    title: 'Accesso e autorizzazioni',
    heading: 'Accesso e autorizzazioni',
    text: 'Le applicazioni La inviano qui per accedere. Apra dunque l’applicazione che vuole usare: a questo indirizzo non c’è nulla a cui accedere.',
    developers: 'Per lo sviluppo',
    issuer: 'Emittente (issuer)',
    description: 'Descrizione dell’interfaccia, da leggere e provare',
    discovery: 'Documento di discovery',
  },
  password: {
    title: (client: string) => `Accedi a ${client}`,
    heading: 'Accedi',
    lead: (client: Child) => phrase`per continuare su ${client}`,
    againHeading: 'Acceda di nuovo',
    againLead: (account: Child, client: Child) =>
      phrase`${account}, confermi la Sua identità prima di continuare su ${client}.`,
    email: 'Indirizzo e-mail',
    password: 'Password',
    submit: 'Accedi',
    missingEmail: 'Inserisca il Suo indirizzo e-mail.',
    missingPassword: 'Inserisca la password.',
    wrongCredentials: 'Indirizzo e-mail e password non corrispondono. Li controlli entrambi e riprovi.',
    tooManyAttempts: (seconds: number) =>
      `Ci sono stati troppi tentativi di accesso. Riprovi tra ${duration('it', seconds)}.`,
    busy: (seconds: number) =>
      `In questo momento stanno accedendo molte persone. Riprovi tra ${duration('it', seconds)}.`,
    passkey: 'Accedi con una passkey',
    passkeyFailed: 'Non è stata usata alcuna passkey. Riprovi, oppure acceda con la password.',
    passkeyRefused: 'Questa passkey non è stata accettata. Acceda con la password o con un’altra passkey.',
    passkeyNeeds: 'Per accedere con una passkey, attivi JavaScript nel browser.',
  },
  firstAdministrator: {
    title: 'Configurare l’amministrazione',
    heading: 'Configurare l’amministrazione',
    lead: 'La persona indicata qui amministra l’intera installazione. Questa pagina si può usare una sola volta.',
    name: 'Il Suo nome',
    email: 'Il Suo indirizzo e-mail',
    password: 'Una password',
    passwordHint: (least: number, most: number) =>
      `Da ${least} a ${most} caratteri. Meglio se sono più parole.`,
    again: 'La password ancora una volta',
    submit: 'Configura',
    wrongName: {
      missing: 'Inserisca il Suo nome.',
      wrong: 'Inserisca un nome di al massimo 200 caratteri, senza caratteri invisibili.',
    },
    wrongEmail: {
      missing: 'Inserisca il Suo indirizzo e-mail.',
      wrong: 'Inserisca un indirizzo e-mail, per esempio lena.hoff@example.com.',
      taken: 'Questo indirizzo e-mail appartiene già a qualcuno. Ne inserisca un altro.',
    },
    wrongPassword: (least: number, most: number) => ({
      missing: 'Inserisca una password.',
      too_short: `La password deve avere almeno ${least} caratteri.`,
      too_long: `La password può avere al massimo ${most} caratteri.`,
      untypable: 'La password contiene un carattere che non si può digitare.',
      too_common:
        'È una delle password che si provano per prime. Usi più parole, o quella creata da un gestore di password.',
      differs: 'Le due password non sono uguali. Le inserisca entrambe di nuovo.',
    }),
  },
  firstAdministratorMade: {
    steps: 'I Suoi primi passi',
    secure: (link: Child) => phrase`L’accesso è avvenuto: ${link}.`,
    secureLink: 'configuri un secondo fattore',
    manage: (link: Child) => phrase`Gestisca persone e applicazioni ${link}.`,
    manageLink: 'nella console',
    registerLink: 'Colleghi un’applicazione',
    register: (command: Child) => phrase`Registri un’applicazione: ${command} ne conosce molte per nome.`,
    peopleLink: 'Inviti qualcuno',
    people: (command: Child) => phrase`Aggiunga persone: ${command}.`,
    title: 'L’amministrazione è configurata',
    heading: 'Lei amministra questa installazione',
    text: (email: Child) => phrase`D’ora in poi ${email} accede con la password appena scelta.`,
    next: (description: Child) =>
      phrase`Questa pagina non si può usare di nuovo. Ciò che può amministrare d’ora in poi, con il comando o con l’interfaccia, si trova nella ${description}.`,
    description: 'descrizione dell’interfaccia',
  },
  chooseProfile: {
    title: (client: string) => `Scegliere un profilo per ${client}`,
    heading: 'Scegliere un profilo',
    lead: (client: Child) => phrase`Da esso dipende ciò che può vedere e fare in ${client}.`,
    legend: 'I Suoi profili',
    last: 'Usato per ultimo',
    notAvailable: 'Questo profilo non è più disponibile. Ne scelga un altro.',
  },
  consent: {
    title: (client: string) => `Consentire ${client}?`,
    heading: (client: Child) => phrase`Consentire a ${client} di usare il Suo account?`,
    scopesHeading: (client: Child) => phrase`Che cosa riceverà ${client}`,
    scopes: {
      openid: {
        label: 'Chi è Lei qui',
        text: 'Un identificativo del Suo account e il profilo che usa: ruolo, organizzazione e unità.',
      },
      email: { label: 'Il Suo indirizzo e-mail', text: 'L’indirizzo, e se è stato confermato.' },
      profile: {
        label: 'I Suoi dati personali',
        text: 'Nome, nome utente, immagine, lingua e fuso orario, se conosciuti.',
      },
      'service.api': {
        label: 'Accesso a servizi a Suo nome',
        text: 'Ciò che è elencato sotto, per quanto lo consenta il profilo che usa.',
      },
      groups: {
        label: 'I Suoi gruppi',
        text: 'Nomi con cui l’applicazione La classifica: dal Suo ruolo, dalla Sua organizzazione o da ciò che può fare.',
      },
      offline_access: {
        label: 'Accesso mentre Lei non c’è',
        text: 'Può rinnovare ciò che ha ricevuto finché Lei non esce.',
      },
    },
    more: (client: Child) =>
      phrase`Ha già consentito qualcosa a ${client} in passato. Ciò che è nuovo è contrassegnato.`,
    isNew: 'Nuovo',
    administration: 'Amministrazione di questo servizio',
    nothingThere: 'Può chiamare questo servizio e non vi ha alcuna autorizzazione.',
    moreThere: (count: number) => `altre ${count}`,
    onwardHeading: 'Che cosa possono fare altrove per lei questi servizi',
    otherPlaces: 'Può anche inviare il browser a',
    actions: { read: 'vedere', create: 'aggiungere', update: 'modificare', delete: 'rimuovere' },
    resources: {
      users: 'Persone',
      organisations: 'Organizzazioni',
      units: 'Unità',
      profiles: 'Profili',
      roles: 'Ruoli',
      permissions: 'Autorizzazioni',
      services: 'Servizi',
      clients: 'Applicazioni e macchine',
      sessions: 'Sessioni',
      consents: 'Consensi',
      keys: 'Chiavi di firma',
      audit: 'Audit',
      access: 'Accesso',
      invitations: 'Inviti',
      mails: 'E-mail',
      webhooks: 'Webhook',
    },
    claims: {
      email: 'Il Suo indirizzo e-mail',
      name: 'Il Suo nome completo',
      given_name: 'Il Suo nome',
      family_name: 'Il Suo cognome',
      preferred_username: 'Il Suo nome utente',
      picture: 'L’indirizzo della Sua immagine',
      locale: 'La Sua lingua',
      zoneinfo: 'Il Suo fuso orario',
      former_sub: 'Il Suo identificativo presso il servizio precedente',
      groups: 'I Suoi gruppi',
    },
    permissionsAt: (service: Child) => phrase`Ciò che il profilo che usa consente in ${service}`,
    unknownScope: 'Un’autorizzazione aggiuntiva con questo nome.',
    documentAt: (host: Child) =>
      phrase`L’editore di questa applicazione è chi possiede ${host}. La consenta solo se l’ha appena avviata Lei.`,
    toProgram: 'Ciò che consente va a un programma su questo computer.',
    returnTo: (host: Child) => phrase`Poi il browser torna a ${host}.`,
    publisher: (name: Child) => phrase`Pubblicata da ${name}`,
    about: (link: Child) => phrase`Informazioni su questa applicazione: ${link}`,
    withdraw: (page: Child) => phrase`Può revocarlo in qualsiasi momento: ${page}.`,
    allow: 'Consenti',
    deny: 'Non consentire',
  },
  device: {
    title: 'Collegare un dispositivo',
    heading: 'Collegare un dispositivo',
    lead: 'Inserisca il codice mostrato dal dispositivo o dal programma.',
    code: 'Codice',
    hint: 'Otto lettere, per esempio BCDF-GHJK.',
    missing: 'Inserisca il codice.',
    unknown: 'Questo codice non esiste o è scaduto. Lo confronti con il dispositivo, oppure ricominci da lì.',
    tooMany: (seconds: number) =>
      `Ci sono stati troppi codici sbagliati. Riprovi tra ${duration('it', seconds)}.`,
    note: 'Le verrà chiesto prima che il dispositivo riceva qualcosa.',
  },
  confirmDevice: {
    title: (client: string) => `Consentire ${client} su un dispositivo?`,
    heading: (client: Child) => phrase`Consentire a ${client}, su un dispositivo, di usare il Suo account?`,
    compare: 'Il dispositivo deve mostrare esattamente questo codice:',
    warning: 'Prosegua solo se ha iniziato Lei, sul Suo dispositivo.',
    why: (client: Child) =>
      phrase`Se qualcuno Le ha inviato il codice o un link a questa pagina, vuole usare ${client} a Suo nome.`,
  },
  deviceDone: {
    allowed: {
      title: 'Il dispositivo è collegato',
      heading: 'Il dispositivo è collegato',
      text: 'Prosegua sul dispositivo. Ora può chiudere questa pagina.',
    },
    denied: {
      title: 'Non è stato consentito nulla',
      heading: 'Non è stato consentito nulla',
      text: 'Il dispositivo non ottiene l’accesso al Suo account. Ora può chiudere questa pagina.',
    },
    allowedBefore: {
      title: 'Questo dispositivo era già stato autorizzato',
      heading: 'Questo dispositivo era già stato autorizzato',
      text: 'Ha già il suo accesso: l’ha consentito Lei o qualcun altro. Il Suo rifiuto non ha cambiato nulla. Se l’ha consentito per errore, revochi l’accesso nel Suo account.',
    },
  },
  signedOut: {
    title: 'Uscita effettuata',
    heading: 'È uscito',
    text: 'La Sua sessione è terminata. Ora può chiudere questa pagina.',
    shared: 'Se altre persone usano questo computer, chiuda anche tutte le finestre del browser.',
    again: 'Accedi di nuovo',
  },
  confirmLogout: {
    title: 'Uscire?',
    heading: 'Vuole uscire?',
    text: 'Così termina la Sua sessione in questo browser e, con essa, l’accesso a tutte le applicazioni aperte da qui.',
    textClient: (client: Child) =>
      phrase`Così termina la Sua sessione in questo browser e, con essa, l’accesso a ${client} e a tutte le altre applicazioni aperte da qui.`,
    textHere: (client: Child) =>
      phrase`Così termina l’accesso a ${client} in questo browser. In tutte le altre applicazioni l’accesso resta.`,
    submit: 'Esci',
    stay: 'Resta connesso',
  },
  noProfile: {
    title: 'Ancora nessun accesso',
    heading: 'Non ha ancora accesso',
    text: (account: Child, client: Child) =>
      phrase`Ha effettuato l’accesso come ${account}, ma nessuno ha dato un profilo a questo account. Senza profilo non può usare ${client}.`,
    textElsewhere: (account: Child, client: Child) =>
      phrase`Ha effettuato l’accesso come ${account}, e nessuno dei Suoi profili è nell’organizzazione a cui appartiene ${client}.`,
    textShut: (account: Child, client: Child) =>
      phrase`Ha effettuato l’accesso come ${account}, e nessuno dei Suoi profili apre ${client}.`,
    textWaits: (account: Child, client: Child) =>
      phrase`Ha effettuato l’accesso come ${account}, i cui profili sono in attesa: nessuno ha ancora dimostrato che questo account è Suo. Si faccia inviare un link e imposti una nuova password. Poi potrà usare ${client}.`,
    sendLink: 'Inviami il link',
    whoGives: 'Può darLe l’accesso chi ha uno di questi ruoli:',
    ask: 'Chieda alla persona che gestisce gli accessi nella Sua organizzazione di dare un profilo a questo account. Il numero di richiesta in fondo a questa pagina la aiuta a trovare il caso.',
    continue: (client: Child) => phrase`Torna a ${client}`,
  },
  formPost: {
    title: (place: string) => `Ritorno a ${place}`,
    heading: 'Ritorno all’applicazione',
    text: (place: Child) => phrase`Il browser torna a ${place}. Se non succede da solo, prema il pulsante.`,
  },
  ...factors,
  ...notices,
  ...recovery,
  ...people,
  ...upstream,
  ...trial,
  ...connect,
  errorPage: {
    technical: 'Dettagli tecnici',
    code: 'Codice di errore',
    description: 'Descrizione',
    returnAddress: 'Indirizzo di ritorno',
    unknown: {
      heading: 'Qualcosa è andato storto',
      text: 'Non è stato possibile completare la richiesta.',
      next: 'Torni all’applicazione e ricominci. Se non serve, comunichi all’assistenza il numero di richiesta qui sotto.',
    },
    codes: errors,
    situations,
    details,
  },
}
