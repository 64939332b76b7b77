import type { notices as en } from './en-notices.ts'

export const notices: typeof en = {
  notMe: {
    title: 'Non sono stato io',
    heading: 'Non è stato Lei?',
    lead: 'Allora qualcun altro è entrato nel Suo account. Prema il pulsante, e subito accade questo:',
    undone: {
      address_requested:
        'L’altro indirizzo non vale più; se vale già, il Suo indirizzo torna quello a cui è arrivato questo messaggio.',
      address_changed:
        'Il Suo indirizzo torna quello a cui è arrivato questo messaggio, e i secondi fattori tornano come erano.',
      factor_created: 'Il secondo fattore che è stato configurato viene rimosso.',
      factor_removed: 'Il secondo fattore che è stato rimosso ritorna.',
      recovery_codes_created: 'I nuovi codici di recupero non valgono più.',
      deletion_requested: 'Il Suo account non viene eliminato e vale di nuovo.',
      link_created: 'L’accesso che è stato collegato viene rimosso, e ciò che ne derivava termina.',
    },
    undoneEach: {
      factor_created: 'I secondi fattori che sono stati configurati vengono rimossi.',
      factor_removed: 'I secondi fattori che sono stati rimossi ritornano.',
    },
    later:
      'Anche le altre modifiche successive del Suo indirizzo e dei Suoi secondi fattori vengono annullate.',
    stands:
      'Ciò che da allora è stato impostato da un amministratore, o da Lei con un link ricevuto per e-mail, resta com’è.',
    signsOut: 'Viene disconnesso ovunque, in ogni browser e in ogni applicazione.',
    voids:
      'La Sua password diventa nulla, così che nessuno possa accedere con essa. Poi ne sceglie una nuova.',
    submit: 'Non sono stato io',
    wasMe: 'Se è stato Lei, chiuda questa pagina. Nulla è cambiato.',
    doneHeading: 'Per ora il Suo account è al sicuro',
    done: 'Nessuno vi è più connesso, e la password è nulla. Ne scelga una nuova: dove effettua l’accesso, indichi che l’ha dimenticata, o chieda alle persone che gestiscono questo servizio. Controlli poi i Suoi secondi fattori.',
    endedHeading: 'Questo link non si può più usare',
    ended:
      'È stato usato, o ha più di sette giorni. Se qualcun altro è nel Suo account, scelga una nuova password e chieda alle persone che gestiscono questo servizio.',
    account: 'Al Suo account',
  },
}
