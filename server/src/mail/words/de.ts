import type { MailWords } from '../kinds.ts'

/** The words of mails. */
export const de: MailWords = {
  language: 'de',
  // The words stand in the dative, which Intl doesn't know.
  spans: {
    minute: (count) => (count === 1 ? 'einer Minute' : `${count} Minuten`),
    hour: (count) => (count === 1 ? 'einer Stunde' : `${count} Stunden`),
    day: (count) => (count === 1 ? 'einem Tag' : `${count} Tagen`),
  },
  greeting: (name) => `Guten Tag ${name},`,
  address: 'Wenn der Knopf nichts bewirkt, öffnen Sie diese Adresse:',
  footer: (issuer) => `Diese Mail kommt von ${issuer}.`,
  once: (until) => `Der Link gilt einmal, für die Dauer von ${until}.`,
  ignore: 'Wenn Sie das nicht waren, müssen Sie nichts tun: Ohne den Link ändert sich nichts.',
  facts: { when: 'Wann', browser: 'Browser', address: 'Netzwerkadresse', application: 'Anwendung' },
  notMe: 'Das war ich nicht',
  undo: (until) =>
    `Wenn Sie es waren, müssen Sie nichts tun. Wenn nicht, drücken Sie innerhalb von ${until} den Knopf: Das macht es rückgängig, meldet Sie überall ab und macht Ihr Passwort ungültig, sodass Sie ein neues setzen.`,
  undoEach: (until) =>
    `Wenn Sie es waren, müssen Sie nichts tun. Wenn nicht, drücken Sie innerhalb von ${until} den Knopf: Das macht jedes davon rückgängig, meldet Sie überall ab und macht Ihr Passwort ungültig, sodass Sie ein neues setzen. Sehen Sie danach Ihre zweiten Faktoren an.`,

  test: {
    subject: (service) => `${service}: ein Test`,
    heading: 'Mails kommen an',
    before: 'Jemand, der diesen Dienst betreibt, wollte sehen, ob Mails ankommen. Das tun sie.',
  },
  password_reset: {
    subject: 'Ein neues Passwort setzen',
    before: 'Jemand hat um ein neues Passwort für Ihr Konto gebeten.',
    button: 'Neues Passwort setzen',
  },
  recovery: {
    subject: 'Ein Weg zurück in Ihr Konto',
    before: 'Die Verwaltung lässt Sie ein neues Passwort setzen.',
    button: 'Neues Passwort setzen',
  },
  invitation: {
    subject: (to) => `Sie sind eingeladen: ${to}`,
    before: (inviter) => `${inviter} lädt Sie ein.`,
    button: 'Einladung annehmen',
    unexpected: 'Wenn Sie keine Einladung erwartet haben, müssen Sie nichts tun.',
  },
  enrolment_code: {
    subject: 'Ihr Code',
    before: 'Geben Sie diesen Code in dem Browser ein, in dem Sie einen zweiten Faktor einrichten.',
    counts: (until) => `Er gilt für die Dauer von ${until}, nur in diesem Browser.`,
    alarm:
      'Wenn Sie sich gerade nicht anmelden, kennt jemand Ihr Passwort: Ändern Sie es. Geben Sie den Code niemandem.',
  },
  guest_code: {
    before: (name) => `Geben Sie diesen Code in dem Browser ein, in dem Sie sich über ${name} anmelden.`,
    alarm:
      'Wenn Sie sich gerade nicht anmelden, hat jemand Ihre Adresse angegeben: Sie müssen nichts tun. Geben Sie den Code niemandem.',
  },
  address_confirmation: {
    subject: 'Ihre Adresse bestätigen',
    before: 'Jemand möchte, dass dies die Adresse des eigenen Kontos ist.',
    button: 'Adresse bestätigen',
  },
  address_taken: {
    subject: 'Jemand wollte Ihre Adresse benutzen',
    before: [
      'Jemand wollte, dass dies die Adresse des eigenen Kontos ist. Es ist die des Ihren, darum hat sich nichts geändert.',
      'Wenn Sie das waren, melden Sie sich bei dem Konto an, das Sie schon haben.',
    ],
  },
  notices: {
    subject: 'In Ihrem Konto ist mehr geschehen',
    before: 'An einem Tag ist viel geschehen, darum steht es in einer Mail.',
  },
  headings: {
    new_device: 'Eine neue Anmeldung bei Ihrem Konto',
    password_changed: 'Ihr Passwort wurde geändert',
    factor_created: 'Ein zweiter Faktor wurde eingerichtet',
    factor_removed: 'Ein zweiter Faktor wurde entfernt',
    factor_suspended: 'Ein zweiter Faktor wurde gesperrt',
    recovery_codes_created: 'Sie haben neue Wiederherstellungscodes',
    recovery_code_used: 'Ein Wiederherstellungscode wurde benutzt',
    second_factor_failed: 'Jemand kennt vielleicht Ihr Passwort',
    address_requested: 'Ihre Adresse soll sich ändern',
    address_changed: 'Ihre Adresse wurde geändert',
    deletion_requested: 'Ihr Konto wird gelöscht',
    deletion_undone: 'Ihr Konto bleibt',
    link_created: 'Ein weiterer Weg in Ihr Konto',
    link_removed: 'Ein Weg in Ihr Konto wurde entfernt',
    break_glass_used: 'Jemand hat den Notzugang benutzt',
    break_glass_changed: 'Der Notzugang wurde geändert',
    domain_gained: 'Ihre Organisation hat eine weitere Domain',
    domain_lost: 'Ihre Organisation hat eine Domain nicht mehr',
    sync_stopped: 'Die Personen eines Anbieters werden nicht mehr abgeglichen',
    setup_opened: 'Ihr Einrichtungslink wurde geöffnet',
    setup_handed_in: 'Ein Einrichtungslink wurde abgegeben',
  },
  events: {
    new_device: () =>
      'Jemand hat sich in einem Browser bei Ihrem Konto angemeldet, der dafür noch nicht benutzt wurde.',
    password_changed: ({ byAdministrator }) =>
      byAdministrator
        ? 'Ihr Konto hat von der Verwaltung ein anderes Passwort bekommen.'
        : 'Ihr Passwort wurde geändert.',
    factor_created: ({ name }) => `Für Ihr Konto wurde ein zweiter Faktor eingerichtet: „${name}“.`,
    factor_removed: ({ name, byAdministrator }) =>
      byAdministrator
        ? `Die Verwaltung hat einen zweiten Faktor Ihres Kontos entfernt: „${name}“.`
        : `Ein zweiter Faktor Ihres Kontos wurde entfernt: „${name}“.`,
    factor_suspended: ({ name }) =>
      `Ein zweiter Faktor Ihres Kontos wurde gesperrt: „${name}“. Es gab zu viele falsche Codes, oder es gibt vielleicht eine Kopie von ihm.`,
    recovery_codes_created: () =>
      'Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Die früheren gelten nicht mehr.',
    recovery_code_used: () => 'Ein Wiederherstellungscode Ihres Kontos wurde benutzt.',
    second_factor_failed: () =>
      'Jemand hat Ihr Passwort eingegeben und danach mehrmals falsche Codes. Diese Person kennt Ihr Passwort: Ändern Sie es.',
    address_requested: ({ name }) =>
      `Jemand hat darum gebeten, dass Ihr Konto die Adresse ${name} bekommt. Noch ist sie nicht geändert.`,
    address_changed: ({ name }) => `Die Adresse Ihres Kontos ist jetzt ${name}.`,
    deletion_requested: () =>
      'Sie haben verlangt, dass Ihr Konto gelöscht wird. Es ist deaktiviert und wird nach 14 Tagen entfernt.',
    deletion_undone: () => 'Ihr Konto wird nicht gelöscht: Das wurde rückgängig gemacht. Es gilt wie zuvor.',
    link_created: ({ name }) =>
      `Ihr Konto ist jetzt mit ${name} verbunden: Wer sich dort anmeldet, kann sich bei ihm anmelden.`,
    link_removed: ({ name }) =>
      `Ihr Konto ist nicht mehr mit ${name} verbunden: Darüber meldet sich niemand mehr bei ihm an.`,
    break_glass_used: ({ name }) =>
      `${name} hat sich ohne den Anbieter der Organisation angemeldet, über den Notzugang für den Fall, dass dieser ausfällt. Sie bekommen das, weil Sie die Organisation oder die Installation verwalten. Haben Sie keine solche Anmeldung erwartet, fragen Sie nach und sperren Sie das Konto.`,
    break_glass_changed: ({ name }) =>
      `Es wurde geändert, wer hineinkommt, wenn der Anbieter der Organisation ausfällt. Das sind jetzt: ${name}.`,
    domain_gained: ({ name }) =>
      `Die Domain ${name} ist von einer anderen Organisation zu Ihrer gekommen: ihr Eintrag im DNS nennt jetzt Ihre. Wer sich mit einer Adresse dort anmeldet, kommt zu Ihrem Anbieter.`,
    domain_lost: ({ name }) =>
      `Die Domain ${name} gehört von jetzt an einer anderen Organisation: ihr Eintrag im DNS nennt diese, und Ihrer ist weg. Wer verbunden war, bleibt es, und niemand kommt hinzu. Ist das nicht gewollt, fragen Sie, wer das DNS der Domain pflegt.`,
    sync_stopped: ({ name }) =>
      `Der stündliche Abgleich, wer ${name} verlassen hat, wurde angehalten: er ist gescheitert, oder es fehlen weit mehr als sonst. Dadurch wurde niemand beendet, und wer geht, wird es nicht, bis er wieder gelingt. Der Anbieter sagt, was nicht stimmt: tessera attention oder die Konsole.`,
    setup_opened: ({ name }) =>
      `Jemand hat mit dem Einrichtungslink begonnen, den Sie für ${name} erstellt haben. Er gilt von nun an nur noch in diesem Browser. War das nicht vorgesehen, ziehen Sie ihn zurück.`,
    setup_handed_in: ({ name }) =>
      `Was mit dem Einrichtungslink eingegeben wurde, den Sie für ${name} erstellt haben, ist abgegeben. Nichts davon gilt, bevor jemand, der das darf, es ansieht und bestätigt: in der Konsole oder mit tessera upstream confirm.`,
  },
}
