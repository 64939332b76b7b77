import type { connect as english } from './en-connect.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words of the guide by which an organisation sets up its sign-in itself. */
export const connect: Translated<typeof english> = {
  connect: {
    title: 'Collegare la Sua organizzazione',
    heading: (organisation) => phrase`Collegare ${organisation}`,
    lead: 'Qui configura come accedono le persone della Sua organizzazione: presso il Suo provider di identità e con il Suo dominio. Serve qualcuno che possa amministrare entrambi.',
    nothingCounts: 'Nulla conta prima che i responsabili di questo servizio lo abbiano confermato.',
    oneBrowser: (until) => `Appena inizia, il link vale solo in questo browser, fino al ${until}.`,
    begin: 'Iniziare',
    back: 'Tutti i passi',
    steps: {
      provider: 'Scegliere il provider',
      values: 'Collegarlo',
      domain: 'Dimostrare il dominio',
      trial: 'Provarlo',
      provisioning: 'Gestire gli account con SCIM',
      finish: 'Consegnare',
    },
    texts: {
      provider: 'Dove accedono le Sue persone',
      values: 'Che cosa incollare là e che cosa copiare da là',
      domain: 'Con un record DNS',
      trial: 'Acceda una volta; non ne resta nulla',
      provisioning: 'Se il provider deve creare ed eliminare account qui',
      finish: 'Poi viene guardato e confermato',
    },
    done: 'Fatto',
    toDo: 'Da fare',
    optional: 'Non necessario',
    otherOidc: 'Un altro, con OpenID Connect',
    otherSaml: 'Un altro, con SAML 2.0',
    changes: 'Un altro provider svuota ciò che ha inserito per il precedente.',
    valuesHeading: (provider) => `Collegare ${provider}`,
    there: (provider) => `Presso ${provider}`,
    thereOther: 'Presso il Suo provider',
    open: (path) => phrase`Apra ${path}.`,
    register: 'Registri là questo servizio come nuova applicazione.',
    paste: 'Incolli là:',
    sendOidc: (email, groups) =>
      phrase`Faccia inviare l’indirizzo e-mail nel claim ${email} e, se i profili devono seguire i gruppi, i gruppi in ${groups}.`,
    sendSaml: (format, mail, groups) =>
      phrase`Faccia inviare un NameID nel formato ${format}, fatto di qualcosa che per una persona non cambia mai, l’indirizzo e-mail nell’attributo ${mail} e, se i profili devono seguire i gruppi, i gruppi in ${groups}. Firma l’asserzione e non la cifra.`,
    here: 'Da copiare qui',
    from: (path) => `Là: ${path}`,
    issuer: 'Issuer',
    tenant: 'ID della directory (tenant), o l’issuer',
    clientId: 'ID client',
    clientSecret: 'Segreto del client',
    secretHint: 'È conservato cifrato e non è mostrato a nessuno.',
    secretKept: 'Uno è conservato. Un altro lo sostituisce.',
    noSecret: (keys) =>
      phrase`Senza segreto questo servizio si identifica con una chiave, che si trova in ${keys}.`,
    metadataUrl: 'Indirizzo dei metadati',
    metadataHint: (example) => `Per esempio ${example}. I nuovi certificati si leggono da lì.`,
    orFile: 'Oppure i metadati come file',
    orText: 'Oppure i metadati come testo',
    check: 'Controllare e conservare',
    problems: {
      missing: 'Compili questo campo.',
      wrong: 'Non si può usare: controlli spazi, parti mancanti e lunghezza.',
      issuer:
        'Non è l’issuer di un solo provider. Lo copi dal Suo provider così come sta là, e per Entra quello del Suo tenant.',
      unreachable:
        'Il Suo provider non è raggiungibile a questo indirizzo. Qui: controlli l’indirizzo. Presso il provider: deve essere raggiungibile da Internet con https, con un certificato accettato dai browser.',
      documents:
        'Ciò che il provider pubblica non va bene. Qui: copi l’issuer esattamente, fino all’ultima barra. Presso il provider: guardi ciò che è detto sotto.',
      metadata:
        'Questi metadati non si possono usare. Qui: prenda i metadati di federazione del provider di identità, per intero. Presso il provider: guardi ciò che è detto sotto.',
    },
    detail: 'Esattamente:',
    throttled: 'Ci sono stati troppi tentativi. Continui tra un’ora.',
    kept: 'È controllato e conservato.',
    domainLead: 'È la parte dopo la @ negli indirizzi delle Sue persone. Un record mostra che è Suo.',
    domain: 'Dominio',
    keepDomain: 'Mostrare il record',
    wrongDomain: 'Non è un dominio. Ne inserisca uno come acme.example.',
    record: 'Aggiunga questo record al Suo DNS:',
    recordName: 'Nome',
    recordType: 'Tipo',
    recordValue: 'Valore',
    look: 'Guardare ora',
    looks: {
      found: 'Il record c’è.',
      no_record:
        'Il record non c’è ancora. Il DNS può impiegare un’ora. Nel Suo DNS: controlli il nome, a cui alcuni aggiungono da sé il dominio, e il valore.',
      alias: 'Nel Suo DNS: il nome è un alias (CNAME). Metta il record al nome stesso.',
      wildcard: 'Nel Suo DNS: risponde un carattere jolly (*). Metta il record al nome stesso.',
      no_answer: 'I server di questo dominio non rispondono. Nel Suo DNS: guardi se funzionano e riprovi.',
    },
    trialLead:
      'Accede una volta presso il Suo provider e vede che cosa arriva. Non dà accesso e non crea alcun account.',
    trialFirst: 'Colleghi prima il Suo provider.',
    trialBegun: 'Ha provato ciò che è inserito ora.',
    tryIt: 'Provare',
    provisioningLead:
      'Con SCIM il Suo provider crea, modifica ed elimina account qui da sé. Lo tralasci se non lo usa.',
    makeToken: 'Creare un token',
    replaceToken: 'Creare un altro token',
    replaces: 'C’è un token. Un altro ne prende il posto.',
    tokenOnce: 'Il token è mostrato solo questa volta: lo incolli ora presso il Suo provider.',
    tokenWaits: 'È rifiutato (401) finché ciò che consegna non è confermato, e da allora vale un anno.',
    finishLead: 'Questo viene consegnato. Dopo il link è terminato e non si può più cambiare nulla.',
    nothingYet: 'Non c’è ancora nulla da consegnare.',
    notTried: 'Non lo ha provato. Chi lo conferma lo vede.',
    handIn: 'Consegnare',
    doneTitle: 'È consegnato',
    doneText: 'I responsabili di questo servizio sono avvisati. Nulla conta prima che lo abbiano confermato.',
    donePlaces: 'Lasci come sono il record nel Suo DNS e ciò che ha incollato presso il provider.',
  },
}
