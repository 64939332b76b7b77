import { phrase } from './phrase.ts'
import type { recovery as english } from './en-recovery.ts'

export const recovery: typeof english = {
  forgotten: {
    link: 'Password dimenticata?',
    title: 'Password dimenticata',
    heading: 'Scegliere una nuova password',
    text: 'Inserisca l’indirizzo e-mail con cui accede. Riceverà un’e-mail con un link per scegliere una nuova password.',
    submit: 'Invia il link',
    sentHeading: 'Guardi la sua posta',
    sent: (email) => phrase`Se esiste un account con ${email}, un’e-mail con un link è in arrivo.`,
    good: 'Il link vale una volta sola, per mezz’ora.',
    goesOn:
      'Il link vale una volta sola, per mezz’ora. Lo apra in questo browser e l’accesso riprenderà da dov’era.',
    nothing: (again) =>
      phrase`Non è arrivato niente? Guardi nella posta indesiderata, confronti l’indirizzo oppure ${again}.`,
    again: 'lo faccia inviare ancora una volta',
    back: 'Torna all’accesso',
  },
  reset: {
    title: 'Scegliere una nuova password',
    heading: 'Scegliere una nuova password',
    lead: (account) => phrase`per l’account di ${account}`,
    ends: 'Dopo avrà effettuato l’accesso qui e sarà disconnesso ovunque altrove.',
    factorLead: (account) =>
      phrase`Prima di scegliere una nuova password per ${account}, mostri con il suo secondo fattore di essere lei.`,
    lost: 'Senza il secondo fattore e i suoi codici di recupero, si rivolga a chi gestisce questo servizio.',
    password: 'Nuova password',
    again: 'Di nuovo la nuova password',
    submit: 'Salva la password',
    waysTitle: 'Scelga come accedere',
    passkeyText:
      'Una passkey è conservata da questo dispositivo o dal Suo gestore di password. Accede con il dito, il volto o un PIN, senza ricordare nulla.',
    orPassword: 'Oppure impostare una password',
  },
  resetEnded: {
    title: 'Questo link non vale più',
    heading: 'Questo link non vale più',
    text: 'Un link per scegliere una password vale una volta sola e per poco tempo, e conta solo il più recente.',
    ask: 'Ne chieda un altro a chi gestisce questo servizio.',
    again: 'Farsi inviare un nuovo link',
  },
  newPassword: {
    title: 'Scegliere la sua password',
    heading: 'Scelga la sua password',
    lead: (client) => phrase`prima di continuare verso ${client}`,
    text: 'La sua password attuale è stata impostata da qualcun altro. Ne scelga una che conosce solo lei.',
    same: 'È la password che ha già. Ne scelga un’altra.',
  },
}
