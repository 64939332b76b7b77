import { phrase } from './phrase.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: typeof english = {
  upstream: {
    continue: 'Continua con la Sua organizzazione',
    continueWith: (name) => `Continua con ${name}`,
    noOrganisation:
      'Qui nessuna organizzazione fa accedere le persone di quel dominio. Controlli l’indirizzo, oppure acceda con la password.',
    usual: 'Chi ha un indirizzo di questo dominio accede attraverso la propria organizzazione.',
    noTime:
      'Il provider della Sua organizzazione non dice quando ha effettuato l’accesso, e questa applicazione lo chiede. Acceda qui.',
    beyond: 'Per questa applicazione, dimostri la Sua identità con una password o una passkey propria.',
    chooseTitle: 'Come vuole accedere?',
    chooseText: 'La Sua organizzazione offre più modi di accedere.',
    requiredTitle: (name) => `Accedere con ${name}`,
    requiredText: (organisation) =>
      phrase`${organisation} chiede alle sue persone di accedere con il provider dell’organizzazione.`,
    failedTitle: (name) => `L’accesso con ${name} non è riuscito`,
    back: 'Torna all’accesso',
    failed: {
      unreachable: 'Il provider non risponde. Riprovi tra qualche minuto, o avvisi chi lo gestisce.',
      setup:
        'La sua risposta non è utilizzabile: qualcosa tra il provider e questo servizio non è configurato bene. Avvisi la Sua amministrazione; il numero qui sotto la aiuta a trovare la causa.',
      denied: 'L’accesso è stato annullato o rifiutato dal provider.',
      over: 'L’accesso è durato troppo, è già stato usato o è iniziato in un altro browser. Ricominci.',
      too_old:
        'Era richiesto un nuovo accesso, e il provider ha risposto con uno precedente. Esca da lì e riprovi.',
      inactive: 'Al momento il provider è disattivato qui. Si rivolga alla Sua amministrazione.',
      unknown_person:
        'Il provider La conosce, ma qui non ha ancora un account. Chieda un invito alla Sua amministrazione.',
      no_address:
        'Il provider non comunica il Suo indirizzo e-mail. Chieda alla Sua amministrazione di consentirlo.',
      outside_domains:
        'Il Suo indirizzo è di un dominio di cui il provider non può rispondere. Si rivolga alla Sua amministrazione.',
      conflict:
        'L’account con il Suo indirizzo è collegato lì a un’altra identità. Chieda alla Sua amministrazione di controllare il collegamento.',
      disabled: 'Il Suo account è disattivato. Si rivolga alla Sua amministrazione.',
      needed:
        'Lei è l’unica persona che entra quando non funziona. Chieda alla Sua amministrazione di indicarne prima un’altra.',
      other_person:
        'Lì ha effettuato l’accesso come una persona diversa da quella che è qui. Esca da lì e riprovi.',
      untimed:
        'Non dice quando ha effettuato l’accesso, e quindi non può confermarlo di nuovo. Imposti una password Sua: esca da qui e, all’accesso, indichi di averla dimenticata.',
      taken:
        'Quell’accesso appartiene qui a un altro account, o il Suo account lì a un altro accesso. Non è stato collegato nulla.',
    },
    ldapText: (name) => phrase`Inserisca il nome e la password che usa per ${name}.`,
    name: 'Nome utente o indirizzo e-mail',
    password: 'Password',
    submit: 'Accedi',
    wrongCredentials: 'Nome e password non corrispondono. Li controlli entrambi e riprovi.',
    throttled: 'Ci sono state troppe password errate. Riprovi tra un quarto d’ora.',
    missing: 'Inserisca il nome e la password.',
    provedTitle: 'Confermato',
    provedText: 'La Sua prova vale dieci minuti. Ora prosegua con ciò che voleva fare.',
    linksTitle: 'Accessi di organizzazioni',
    linkedSince: (date) => `Collegato il ${date}`,
    lastWay: 'È il Suo unico accesso. Imposti una password o una passkey Sua prima di rimuoverlo.',
    connectWith: (name) => `Collega ${name}`,
    connectHere: (who) => phrase`Qui Lei è ${who}.`,
    connectKnown: (who, name) => phrase`${name} La chiama ${who}.`,
    connectText: (name) =>
      phrase`D’ora in poi chi accede lì come quella persona può accedere al Suo account tramite ${name}.`,
    connectBreakGlass:
      'Lei è tra chi entra quando l’accesso di questa organizzazione non funziona. Se lo collega, non lo sarà più.',
    connectRefused: {
      unproved:
        'Nessuno ha ancora confermato che questo account è Suo. Esca, all’accesso indichi di aver dimenticato la password e ne imposti un’altra con l’e-mail.',
      notOffered:
        'Questo accesso ora non può essere collegato: lo è già, è disattivato, oppure apre più di ciò che Lei ha dimostrato.',
    },
    connectDone: {
      connected: 'L’accesso è collegato.',
      unlinked: 'L’accesso è stato rimosso.',
      over: 'Ci è voluto troppo tempo. Non è stato collegato nulla.',
    },
    guestTitle: 'Confermi il Suo indirizzo',
    guestText: (email, name) =>
      phrase`${name} La fa accedere, ma non risponde per il dominio di ${email}. Mostri che l’indirizzo è Suo.`,
    linkTitle: 'Collegare i due accessi?',
    linkText: (email, name) =>
      phrase`L’account con l’indirizzo ${email} esiste già. D’ora in poi potrebbe accedervi anche con ${name}.`,
    linkAs: (subject, name) => phrase`Per ${name} Lei è ${subject}.`,
    link: 'Collega',
    notNow: 'Non ora',
  },
}
