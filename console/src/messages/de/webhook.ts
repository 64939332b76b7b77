import type { Messages } from '../en.ts'

export const webhook: Messages['webhook'] = {
  found: (count, more) => (more ? `Die ersten ${count}` : count === 1 ? '1 Webhook' : `${count} Webhooks`),
  empty: 'Sagen Sie einem anderen System, was hier geschieht',
  emptyHow: 'Ein Webhook schickt Einträge des Audits signiert an eine Adresse, sobald sie entstehen.',
  notOfUnit: 'Sie handeln für eine Einheit: Ein Webhook berichtet von einer ganzen Organisation.',
  to: 'Empfänger',
  add: 'Webhook anlegen',
  added: 'Der Webhook ist angelegt',
  url: 'Adresse',
  urlHow: 'https und aus dem Internet erreichbar. Kein Geheimnis darin: Das Audit zeigt sie.',
  description: 'Wofür er da ist',
  descriptionHow: 'Freiwillig. So heißt der Webhook hier.',
  kinds: 'Was gesendet wird',
  kindsHow: 'Nach Wort oder Code: eine Art, alles von einer Sache oder alles. Beliebig viele.',
  of: 'Gehört zu',
  ofHow:
    'Gesendet wird nur, was in dieser Organisation geschieht. Leer gelassen: alles. Das ändert sich nie.',
  everything: 'Die ganze Installation',
  secret: 'Geheimnis',
  secretOnce:
    'Es wird nur dieses eine Mal gezeigt. Legen Sie es dort ab, wo der Empfänger Signaturen prüft; eine Bibliothek für Standard Webhooks nimmt es, wie es ist.',
  last: 'Letzte Zustellung',
  none: 'Noch nichts gesendet',
  noneHow: 'Hier steht, was von jetzt an geschieht. Ein Test zeigt, ob es ankommt.',
  others: (count) => `und ${count} weitere`,
  sent: (count, more) =>
    more ? `Die neuesten ${count}` : count === 1 ? '1 Zustellung' : `${count} Zustellungen`,
  deliveries: 'Zustellungen',
  settings: 'Einstellungen',
  activity: 'Verlauf',
  state: 'Status',
  states: { pending: 'Unterwegs', delivered: 'Zugestellt', dead: 'Aufgegeben' },
  triesAgain: 'Versucht es wieder',
  answer: 'Antwort',
  attempts: (count) => `nach ${count} Versuchen`,
  next: 'nächster Versuch',
  test: 'Test senden',
  testTitle: 'Test senden?',
  testWhat: 'Gesendet wird der Eintrag eben dieses Tests, welche Arten der Webhook auch will.',
  again: 'Noch einmal senden',
  againTitle: (what) => `„${what}“ noch einmal senden?`,
  againWhat:
    'Es wird sofort gesendet, mit derselben webhook-id, und hat alle Versuche wieder vor sich. Wer es schon hat, soll es übergehen.',
  disableWhat:
    'Ab sofort wird nichts mehr an ihn gesendet. Was inzwischen geschieht, wird nie gesendet. Sie können ihn wieder entsperren.',
  enableWhat: 'Er bekommt, was gewartet hat, und was von jetzt an geschieht.',
  remove: 'Diesen Webhook entfernen',
  removeHow:
    'Endgültig, mit seinen Geheimnissen und der Liste der Zustellungen. Um ihn eine Weile anzuhalten, sperren Sie ihn.',
  removeWhat: 'Ab sofort wird nichts mehr an ihn gesendet.',
  needsAudit: 'Ein Webhook sendet das Audit; wohin er führt, ändert daher nur, wer auch iam.audit.read hat.',
  secrets: 'Geheimnisse',
  secretsHow:
    'Jede Nachricht ist signiert. Zwei Geheimnisse gelten nebeneinander, damit eines das andere ohne Lücke ablöst.',
  newSecret: 'Neues Geheimnis erzeugen',
  newSecretWhat:
    'Nachrichten sind mit beiden signiert, bis das frühere endet. Geben Sie dem Empfänger das neue in dieser Zeit.',
  counts: 'Das frühere gilt noch',
  lasts: { 1: 'eine Stunde', 24: 'einen Tag', 168: 'eine Woche' },
  endWhat:
    'Ab sofort wird nichts mehr damit signiert. Ein Empfänger, der kein anderes kennt, weist ab, was kommt.',
}
