import type { Messages } from '../en.ts'

export const verified: Messages['verified'] = {
  title: 'Geprüft',
  until: (sequence) => `bis Eintrag ${sequence.toLocaleString('de')},`,
  since: (records) =>
    records === 1 ? 'Seitdem ein Eintrag,' : `Seitdem ${records.toLocaleString('de')} Einträge, der erste`,
  never: 'Nie geprüft',
  neverHow:
    'Lassen Sie dies jede Nacht dort laufen, wo der Dienst läuft. Es findet veränderte und entfernte Einträge.',
  problems: (count) =>
    count === 1
      ? 'Das Audit ist beschädigt: Etwas stimmt nicht'
      : `Das Audit ist beschädigt: ${count.toLocaleString('de')} Dinge stimmen nicht`,
  found: 'Gefunden',
  before: 'Zuletzt unbeschädigt:',
  alarms: {
    not_marked: 'Jemand ohne das Secret hat verändert, was von der letzten Prüfung bekannt ist',
    not_kept: 'Der Eintrag, bis zu dem das Audit geprüft wurde, ist verschwunden',
  },
  how: 'Ändern Sie nichts, bevor Sie wissen, wer es war. Führen Sie dies auf der Datenbank aus: Es nennt, was nicht stimmt, und docs/audit.md sagt, was jeder Befund bedeutet.',
}
