import { phrase } from './phrase.ts'
import type { trial as english } from './en-trial.ts'

export const trial: typeof english = {
  trial: {
    title: (name) => `Provare l’accesso con ${name}`,
    text: (name) =>
      phrase`Lei accede a ${name} per prova. Con questo non accede da nessuna parte e qui non cambia nulla.`,
    seen: 'Chi lo ha chiesto vede che cosa viene detto di Lei: nome, indirizzo, gruppi e simili.',
    overTitle: 'Questo indirizzo non vale più',
    over: 'Vale per 15 minuti, nel browser che lo apre per primo. Ne chieda uno nuovo.',
    doneTitle: (name) => `${name} ha risposto`,
    nothing: 'È stata una prova: nessuno ha effettuato l’accesso e nulla è stato salvato.',
    came: 'Che cosa è stato detto di Lei',
    subject: 'Chi è Lei lì',
    fields: {
      email: 'Indirizzo e-mail',
      name: 'Nome completo',
      given_name: 'Nome',
      family_name: 'Cognome',
      preferred_username: 'Nome utente',
      locale: 'Lingua',
      zoneinfo: 'Fuso orario',
    },
    groups: 'Gruppi',
    none: 'nessuno. Se dovrebbero essercene: presso il provider, li faccia inviare come groups, nell’ID token o nell’asserzione (in una directory: memberOf), e guardi se Lei è in uno di essi.',
    unknownGroups: 'Non vengono comunicati, o sono troppi. In base a essi non viene dato né tolto nulla.',
    signedInAt: 'Accesso effettuato lì',
    noTime: 'Non viene detto quando.',
    would: 'Che cosa farebbe un accesso',
    outcomes: {
      known: 'La farebbe accedere al Suo account.',
      linked: 'Collegherebbe il Suo account e La farebbe accedere.',
      new: 'Creerebbe un nuovo account e La farebbe accedere.',
      prove:
        'Esiste già un account con questo indirizzo, e non è soltanto dell’organizzazione. Prima accederebbe a quello, poi collegherebbe i due.',
      guest:
        'L’indirizzo non appartiene a nessun dominio dell’organizzazione. Prima verrebbe chiesto un codice inviato a quell’indirizzo.',
      refused: 'Non La lascerebbe entrare.',
    },
    reasons: {
      unknown_person:
        'Nessuno ha invitato o creato questa persona. Qui: la inviti, lasci che la crei una directory, o che l’accesso crei gli account (provision: create).',
      no_address:
        'Non è arrivato alcun indirizzo e-mail. Presso il provider: lo faccia inviare. Qui: lo indichi in attributes.',
      outside_domains:
        'L’indirizzo non appartiene a nessun dominio dell’organizzazione. Qui: dimostri il dominio, o permetta gli ospiti, per cui serve un server di posta.',
      conflict:
        'L’account con questo indirizzo appartiene lì a un’altra identità. Qui: guardi i collegamenti dell’account e rimuova quello vecchio se è la stessa persona.',
      disabled: 'L’account è disattivato. Qui: lo attivi, se spetta a Lei.',
      address_domain:
        'L’indirizzo comunicato non appartiene a nessun dominio dell’organizzazione: l’account tiene quello che ha.',
      address_taken: 'L’indirizzo comunicato è di qualcun altro: l’account tiene quello che ha.',
    },
    changes: 'Campi che cambierebbero',
    gives: 'Profili che inizierebbero',
    ends: 'Profili che finirebbero',
    cures: {
      unreachable:
        'Qui: controlli l’indirizzo (issuer, metadati o directory). Presso il provider: deve essere raggiungibile da questo servizio, con un nome pubblico e un certificato valido.',
      documents:
        'Qui: confronti l’issuer e l’indirizzo dei metadati con quello che il provider dice di sé, lettera per lettera, compresi il tenant e la barra finale.',
      client_refused:
        'Presso il provider: registri esattamente l’indirizzo di ritorno di questo accesso. Qui: indichi l’ID client e un segreto valido; per una directory, l’account che cerca e la sua password.',
      denied:
        'Presso il provider: assegni la persona, o un suo gruppo, a questa applicazione e dia il consenso per tutti. Oppure qualcuno ha annullato: ricominci.',
      response:
        'Presso il provider: confronti l’indirizzo di ritorno o ACS e faccia rispondere esattamente a quello che è chiesto. Cominci ogni tentativo qui, con un nuovo indirizzo.',
      signature:
        'Presso il provider: firmi con RS256, PS256 o ES256, o per SAML con RSA e SHA-256. Qui: prenda le chiavi o i certificati con cui firma ora; i metadati letti da un indirizzo si rinnovano da soli.',
      issuer:
        'Qui: confronti l’issuer con il nome che il provider dà a sé stesso. Sono stati scambiati due tenant o due provider.',
      audience:
        'Presso il provider: la risposta è per un’altra applicazione. OpenID Connect: il suo ID client deve essere quello indicato qui. SAML: la sua audience deve essere l’ID entità di questo accesso.',
      nonce:
        'Presso il provider: la risposta deve ripetere il nonce della richiesta. Ricominci; se rimane così, non parla OpenID Connect.',
      expired: 'Regoli gli orologi di entrambe le parti. Oppure ci è voluto troppo: ricominci.',
      replayed: 'La risposta era già stata usata. Ricominci con un nuovo indirizzo.',
      no_subject:
        'Presso il provider: faccia dire chi è la persona, con sub (Entra: oid e tid), un NameID persistente o l’attributo che subject nomina qui.',
      too_old: 'Presso il provider: esca prima da lì e ricominci.',
      request_over: 'Ci è voluto troppo, o è tornato un altro browser. Ricominci con un nuovo indirizzo.',
      inactive: 'Qui: l’organizzazione è disattivata. La attivi.',
      wrong_credentials: 'Controlli il nome e la password nella directory.',
      throttled: 'Ci sono stati troppi tentativi in poco tempo. Attenda un quarto d’ora e ricominci.',
    },
    registered: 'Da registrare lì',
    back: 'Torna alla guida',
  },
}
