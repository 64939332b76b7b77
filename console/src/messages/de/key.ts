import type { Messages } from '../en.ts'

export const key: Messages['key'] = {
  title: 'Signaturschlüssel',
  lead: 'Was Tokens signiert, und wann. Sie wechseln von selbst; zu tun ist nichts.',
  times: 'Wann jeder signiert',
  now: 'Jetzt',
  key: 'Schlüssel',
  state: 'Status',
  published: 'Veröffentlicht seit',
  signs: 'Signiert ab',
  leaves: 'Verlässt den Schlüsselsatz',
  noSuccessor: 'noch kein Nachfolger',
  parts: {
    published: 'veröffentlicht, wartet',
    signing: 'signiert',
    retiring: 'prüft noch, was er signiert hat',
  },
  states: { published: 'Wartet', signing: 'Signiert', retiring: 'Läuft aus', removed: 'Entfernt' },
  removedOnes: (count) => (count === 1 ? '1 entfernter Schlüssel' : `${count} entfernte Schlüssel`),
  verify: 'Wo sie veröffentlicht sind',
  verifyHow: 'Wer Tokens prüft, holt die öffentlichen Schlüssel hier. Die privaten werden nirgends gezeigt.',
  address: 'Schlüsselsatz',
  rotate: 'Wechseln',
  rotateTitle: 'Signaturschlüssel wechseln?',
  rotateWhat:
    'Ein neuer Schlüssel jedes Verfahrens wird sofort veröffentlicht und signiert, wenn alle Zeit hatten, ihn zu holen. Die früheren bleiben, bis ihr letztes Token abgelaufen ist. Niemand wird abgemeldet.',
  atOnce: 'Sofort mit den neuen Schlüsseln signieren',
  atOnceHow:
    'Für den Notfall, etwa einen gestohlenen Schlüssel: Sie signieren binnen einer halben Minute. Wer den Schlüsselsatz behält und nicht neu holt, weist die neuen Tokens bis dahin ab.',
  rotateNow: 'Sofort wechseln',
}
