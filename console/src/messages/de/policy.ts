import type { Messages } from '../en.ts'

export const policies: Messages['policies'] = {
  lead: 'Wie sicher sich alle mindestens anmelden. Organisationen, Rollen und Anwendungen dürfen mehr verlangen: Das Strengste gilt. Eine Änderung gilt ab der nächsten Anmeldung und der nächsten Erneuerung eines Tokens; Sitzungen bleiben.',
  readOnly: 'Sie dürfen die Richtlinie ansehen, aber nicht ändern: Dazu braucht es iam.policy.update.',
  ofInstallation: (place) =>
    `Sie handeln für ${place}, und diese Richtlinie gehört der ganzen Installation. Bitten Sie, wer diese verwaltet, um die Änderung.`,
  managed: (file) =>
    `Die Datei ${file} verwaltet die Richtlinie: Ändern Sie sie dort. Was Sie hier ändern, gilt, bis die Datei wieder angewendet wird.`,
  effectHere: 'Was eine Änderung bewirken würde, steht hier, bevor sie gespeichert wird.',
  nothing:
    'Niemand wird dadurch aufgehalten: Niemand muss einen zweiten Faktor einrichten, sich neu anmelden oder über einen Anbieter kommen.',
  unset: 'Nicht festgelegt',
  factors: 'Zweiter Faktor',
  passwords: 'Passwörter',
  providers: 'Anmeldeanbieter',
  accounts: 'Konten',
  labels: {
    second_factor: 'Ein zweiter Faktor wird',
    grace_days: 'Tage, um ihn einzurichten',
    trusted_device_days: 'Tage, die einem Gerät vertraut wird',
    password_length: 'Mindestlänge eines neuen Passworts',
    sign_in: 'Anmelden kann man sich',
    email_change: 'Wer die Adresse einer Person ändert',
    self_deletion: 'Personen dürfen ihr eigenes Konto entfernen lassen',
  },
  unsetFactor: 'Nicht festgelegt: wer will, richtet einen ein',
  factorHow: {
    unset: 'Wer will, richtet einen ein; niemand muss.',
    off: 'Das Konto bietet ihn nicht an. Wo etwas anderes einen verlangt, richtet man ihn trotzdem ein.',
    optional: 'Wer will, richtet einen ein; niemand muss.',
    required:
      'Mit dem Passwort allein kommt niemand hinein: Dazu gehört eine App mit Codes, ein Passkey oder ein Sicherheitsschlüssel.',
    passkey:
      'Ohne Passkey oder Sicherheitsschlüssel, die keine falsche Seite abgreifen kann, kommt niemand hinein. Codes einer App genügen nicht.',
  },
  graceHow: (most) =>
    `So lange darf man ab der ersten Anmeldung, die einen verlangt, „Später“ sagen. 0 bis ${most}; leer: gar nicht.`,
  trustHow: (most) =>
    `So lange ersetzt ein Browser, dem seine Person vertraut, den zweiten Faktor; nie einen Passkey. 0 bis ${most}; leer: gar nicht.`,
  lengthHow: (least, most) =>
    `Passwörter, die es schon gibt, bleiben. ${least} bis ${most} Zeichen; leer: ${least}.`,
  signInHow:
    'Es gilt, wo der Anbieter einer Organisation läuft: sobald sich jemand über ihn angemeldet hat. Wer für seinen Ausfall benannt ist, kommt trotzdem hinein.',
  signInLink: 'Anbieter, und wer ohne sie hineinkommt',
  emailHow: 'Sagt eine Organisation „nur die Verwaltung“, gilt das für alle ihre Personen.',
  deletionHow: 'Nach 14 Tagen, in denen sie es durch eine Anmeldung rückgängig machen können.',
  secondFactor: {
    off: 'nicht angeboten',
    optional: 'angeboten',
    required: 'verlangt',
    passkey: 'verlangt, als Passkey oder Sicherheitsschlüssel',
  },
  signIn: {
    any: 'überall, wo es geht',
    upstream: 'nur beim Anbieter der Organisation',
  },
  emailChange: { self: 'Sie selbst', administrator: 'Nur die Verwaltung' },
  kinds: { organisations: 'Organisation', roles: 'Rolle', applications: 'Anwendung' },
  setBy: 'Festgelegt von',
  kind: 'Art',
  elsewhere: 'Auch anderswo festgelegt',
  elsewhereHow: 'Was diese verlangen, kommt zur Richtlinie der Installation hinzu.',
  elsewhereNone: 'Keine Organisation, Rolle oder Anwendung hat eine eigene Richtlinie.',
  elsewhereCut: (things) => `Nur die ersten 200 sind berücksichtigt bei: ${things}.`,
  days: (count) => (count === 1 ? '1 Tag' : `${count} Tage`),
  characters: (count) => `${count} Zeichen`,
}
