import type { notices as en } from './en-notices.ts'

export const notices: typeof en = {
  notMe: {
    title: 'Das war ich nicht',
    heading: 'Waren Sie das nicht?',
    lead: 'Dann war jemand anders in Ihrem Konto. Drücken Sie den Knopf, und sofort geschieht dies:',
    undone: {
      address_requested:
        'Die andere Adresse gilt nicht mehr; falls sie schon gilt, wird Ihre Adresse wieder die, an die diese Mail ging.',
      address_changed:
        'Ihre Adresse wird wieder die, an die diese Mail ging, und die zweiten Faktoren werden wieder, wie sie waren.',
      factor_created: 'Der zweite Faktor, der eingerichtet wurde, wird entfernt.',
      factor_removed: 'Der zweite Faktor, der entfernt wurde, kommt zurück.',
      recovery_codes_created: 'Die neuen Wiederherstellungscodes gelten nicht mehr.',
      deletion_requested: 'Ihr Konto wird nicht gelöscht und gilt wieder.',
      link_created: 'Die Anmeldung, die verbunden wurde, wird entfernt, und was über sie kam, endet.',
    },
    undoneEach: {
      factor_created: 'Die zweiten Faktoren, die eingerichtet wurden, werden entfernt.',
      factor_removed: 'Die zweiten Faktoren, die entfernt wurden, kommen zurück.',
    },
    later: 'Auch andere Änderungen Ihrer Adresse und Ihrer zweiten Faktoren seither werden zurückgenommen.',
    stands:
      'Was seither von der Administration gesetzt wurde, oder von Ihnen mit einem Link aus einer E-Mail, bleibt, wie es ist.',
    signsOut: 'Sie werden überall abgemeldet, in jedem Browser und jeder Anwendung.',
    voids: 'Ihr Passwort wird ungültig, damit sich niemand damit anmeldet. Danach setzen Sie ein neues.',
    submit: 'Das war ich nicht',
    wasMe: 'Wenn Sie es waren, schließen Sie diese Seite. Nichts hat sich geändert.',
    doneHeading: 'Ihr Konto ist vorerst sicher',
    done: 'Niemand ist dort mehr angemeldet, und das Passwort ist ungültig. Setzen Sie ein neues: Wählen Sie bei der Anmeldung, dass Sie es vergessen haben, oder fragen Sie die Menschen, die diesen Dienst betreiben. Sehen Sie danach Ihre zweiten Faktoren an.',
    endedHeading: 'Dieser Link gilt nicht mehr',
    ended:
      'Er wurde benutzt, oder er ist älter als sieben Tage. Wenn jemand anders in Ihrem Konto ist, setzen Sie ein neues Passwort und fragen Sie die Menschen, die diesen Dienst betreiben.',
    account: 'Zu Ihrem Konto',
  },
}
