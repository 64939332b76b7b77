import type { MailWords } from '../kinds.ts'

/** The words of mails. */
export const it: MailWords = {
  language: 'it',
  greeting: (name) => `Buongiorno ${name},`,
  address: 'Se il pulsante non fa nulla, apra questo indirizzo:',
  footer: (issuer) => `Questo messaggio è stato inviato da ${issuer}.`,
  once: (until) => `Il link funziona una sola volta, per ${until}.`,
  ignore: 'Se non è stato Lei, non deve fare nulla: senza il link non cambia niente.',
  facts: { when: 'Quando', browser: 'Browser', address: 'Indirizzo di rete', application: 'Applicazione' },
  notMe: 'Non sono stato io',
  undo: (until) =>
    `Se è stato Lei, non deve fare nulla. Altrimenti prema il pulsante entro ${until}: questo annulla l’operazione, La disconnette ovunque e rende nulla la Sua password, così che ne scelga una nuova.`,
  undoEach: (until) =>
    `Se è stato Lei, non deve fare nulla. Altrimenti prema il pulsante entro ${until}: questo annulla ciascuna di queste operazioni, La disconnette ovunque e rende nulla la Sua password, così che ne scelga una nuova. Controlli poi i Suoi secondi fattori.`,

  test: {
    subject: (service) => `${service}: una prova`,
    heading: 'I messaggi arrivano',
    before: 'Qualcuno che gestisce questo servizio voleva vedere se i messaggi arrivano. È così.',
  },
  password_reset: {
    subject: 'Scegliere una nuova password',
    before: 'Qualcuno ha chiesto una nuova password per il Suo account.',
    button: 'Scegliere una nuova password',
  },
  recovery: {
    subject: 'Un modo per tornare nel Suo account',
    before: 'L’amministrazione Le permette di scegliere una nuova password.',
    button: 'Scegliere una nuova password',
  },
  invitation: {
    subject: (to) => `Ha un invito: ${to}`,
    before: (inviter) => `${inviter} La invita.`,
    button: 'Accettare l’invito',
    unexpected: 'Se non aspettava un invito, non deve fare nulla.',
  },
  enrolment_code: {
    subject: 'Il Suo codice',
    before: 'Inserisca questo codice nel browser in cui sta configurando un secondo fattore.',
    counts: (until) => `Vale per ${until}, solo in quel browser.`,
    alarm:
      'Se in questo momento non sta effettuando l’accesso, qualcuno conosce la Sua password: la cambi. Non dia il codice a nessuno.',
  },
  guest_code: {
    before: (name) => `Inserisca questo codice nel browser in cui sta accedendo tramite ${name}.`,
    alarm:
      'Se in questo momento non sta effettuando l’accesso, qualcuno ha indicato il Suo indirizzo: non deve fare nulla. Non dia il codice a nessuno.',
  },
  address_confirmation: {
    subject: 'Confermare il Suo indirizzo',
    before: 'Qualcuno desidera che questo sia l’indirizzo del proprio account.',
    button: 'Confermare l’indirizzo',
  },
  address_taken: {
    subject: 'Qualcuno voleva usare il Suo indirizzo',
    before: [
      'Qualcuno voleva che questo fosse l’indirizzo del proprio account. È quello del Suo, quindi nulla è cambiato.',
      'Se è stato Lei, acceda all’account che ha già.',
    ],
  },
  notices: {
    subject: 'Nel Suo account è successo altro',
    before: 'In un giorno è successo molto, perciò è in un solo messaggio.',
  },
  headings: {
    new_device: 'Un nuovo accesso al Suo account',
    password_changed: 'La Sua password è stata cambiata',
    factor_created: 'È stato configurato un secondo fattore',
    factor_removed: 'È stato rimosso un secondo fattore',
    factor_suspended: 'È stato sospeso un secondo fattore',
    recovery_codes_created: 'Ha nuovi codici di recupero',
    recovery_code_used: 'È stato usato un codice di recupero',
    second_factor_failed: 'Forse qualcuno conosce la Sua password',
    address_requested: 'Il Suo indirizzo sta per cambiare',
    address_changed: 'Il Suo indirizzo è stato cambiato',
    deletion_requested: 'Il Suo account verrà eliminato',
    deletion_undone: 'Il Suo account resta',
    link_created: 'Un altro accesso al Suo account',
    link_removed: 'Un accesso al Suo account è stato rimosso',
    break_glass_used: 'È stato usato un accesso di emergenza',
    break_glass_changed: 'L’accesso di emergenza è stato modificato',
    domain_gained: 'La Sua organizzazione ha un altro dominio',
    domain_lost: 'La Sua organizzazione non ha più un dominio',
    sync_stopped: 'Le persone di un provider non vengono più verificate',
    setup_opened: 'Qualcuno ha aperto il suo link di configurazione',
    setup_handed_in: 'Una configurazione è stata consegnata',
  },
  events: {
    new_device: () =>
      'Qualcuno ha effettuato l’accesso al Suo account in un browser che non era mai stato usato per questo.',
    password_changed: ({ byAdministrator }) =>
      byAdministrator
        ? 'L’amministrazione ha dato un’altra password al Suo account.'
        : 'La Sua password è stata cambiata.',
    factor_created: ({ name }) => `Per il Suo account è stato configurato un secondo fattore: «${name}».`,
    factor_removed: ({ name, byAdministrator }) =>
      byAdministrator
        ? `L’amministrazione ha rimosso un secondo fattore del Suo account: «${name}».`
        : `Un secondo fattore del Suo account è stato rimosso: «${name}».`,
    factor_suspended: ({ name }) =>
      `Un secondo fattore del Suo account è stato sospeso: «${name}». Ci sono stati troppi codici errati, o forse ne esiste una copia.`,
    recovery_codes_created: () =>
      'Per il Suo account sono stati creati nuovi codici di recupero. Quelli precedenti non valgono più.',
    recovery_code_used: () => 'È stato usato un codice di recupero del Suo account.',
    second_factor_failed: () =>
      'Qualcuno ha inserito la Sua password e poi più volte codici errati. Questa persona conosce la Sua password: la cambi.',
    address_requested: ({ name }) =>
      `Qualcuno ha chiesto che il Suo account abbia l’indirizzo ${name}. Non è ancora cambiato.`,
    address_changed: ({ name }) => `L’indirizzo del Suo account è ora ${name}.`,
    deletion_requested: () =>
      'Ha chiesto di eliminare il Suo account. È disattivato e viene rimosso dopo 14 giorni.',
    deletion_undone: () =>
      'Il Suo account non viene eliminato: la richiesta è stata annullata. Vale come prima.',
    link_created: ({ name }) =>
      `Il Suo account è ora collegato a ${name}: chi accede lì può accedere al Suo account.`,
    link_removed: ({ name }) => `Il Suo account non è più collegato a ${name}: nessuno vi accede più da lì.`,
    break_glass_used: ({ name }) =>
      `${name} ha effettuato l’accesso senza il provider dell’organizzazione, con l’accesso di emergenza previsto per quando questo non funziona. Riceve questo messaggio perché amministra l’organizzazione o l’installazione. Se non si aspettava questo accesso, chieda spiegazioni e disattivi l’account.`,
    break_glass_changed: ({ name }) =>
      `È cambiato chi può entrare quando il provider dell’organizzazione non funziona. Ora sono: ${name}.`,
    domain_gained: ({ name }) =>
      `Il dominio ${name} è passato da un’altra organizzazione alla Sua: il suo record DNS ora indica la Sua. Chi accede con un indirizzo di questo dominio arriva al Suo provider.`,
    domain_lost: ({ name }) =>
      `Il dominio ${name} appartiene d’ora in poi a un’altra organizzazione: il suo record DNS indica quella, e il Suo non c’è più. Chi era collegato lo resta, e nessuno si aggiunge. Se non è voluto, si rivolga a chi gestisce il DNS del dominio.`,
    sync_stopped: ({ name }) =>
      `La verifica oraria di chi ha lasciato ${name} è stata fermata: è fallita, o mancano molte più persone del solito. Nessuno è stato escluso per questo, e chi se ne va non lo sarà finché non riesce. Il provider dice che cosa non va: tessera attention, o la console.`,
    setup_opened: ({ name }) =>
      `Qualcuno ha iniziato con il link di configurazione che ha creato per ${name}. D’ora in poi vale solo nel suo browser. Se non doveva essere questa persona, lo ritiri.`,
    setup_handed_in: ({ name }) =>
      `È stato consegnato ciò che è stato inserito con il link di configurazione che ha creato per ${name}. Nulla conta prima che una persona autorizzata lo guardi e lo confermi: nella console o con tessera upstream confirm.`,
  },
}
