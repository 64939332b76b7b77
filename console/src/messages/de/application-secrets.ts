import type { Messages } from '../en.ts'

export const secrets: Messages['secrets'] = {
  title: 'Geheimnisse',
  lead: 'Die Anwendung weist sich durch ein Geheimnis aus, das einmal gezeigt wird, wenn es entsteht. Zwei können gleichzeitig gelten, damit eines das andere ohne Ausfall ersetzt.',
  empty: 'Kein Geheimnis: Legen Sie eines an',
  emptyHow: 'Ohne Geheimnis oder eigene Schlüssel kann sich die Anwendung nicht ausweisen.',
  made: 'Angelegt',
  ends: 'Endet',
  never: 'Nie',
  actions: 'Aktionen',
  add: 'Geheimnis hinzufügen',
  addWhat: 'Es gilt neben dem vorhandenen.',
  make: 'Geheimnis anlegen',
  added: 'Das neue Geheimnis',
  stored: 'Es ist gespeichert',
  two: 'Zwei Geheimnisse gelten. Beenden Sie eines, bevor Sie ein weiteres hinzufügen.',
  replace: 'Bekannt gewordenes Geheimnis ersetzen',
  replaceTitle: 'Das neue Geheimnis gilt bereits',
  replacePut:
    'Hinterlegen Sie es in der Anwendung. Bis Sie es beenden, gilt auch das alte, auch für den Dieb.',
  replaceEnd:
    'Beenden Sie das alte. Niemand bekommt damit mehr ein Token; Tokens, die es gab, leben bis zu ihrem Ablauf.',
  endOld: 'Altes Geheimnis jetzt beenden',
  later: 'Gespeichert; das alte später beenden',
  end: 'Beenden',
  endTitle: (made) => `Das Geheimnis vom ${made} beenden?`,
  endOne:
    'Es gilt sofort nicht mehr; das andere gilt weiter. Nutzt die Anwendung dieses, scheitert sie, bis sie das andere hat.',
  endLast: 'Es gilt sofort nicht mehr, und es ist das einzige: Die Anwendung kann sich nicht mehr ausweisen.',
  byKey: 'Weist sich aus durch',
  byKeyLead:
    'Die Anwendung unterschreibt, was sie sendet, oder sendet ein Token ihrer Plattform. Sie braucht kein Geheimnis, und keines gilt.',
  ownKeys: (count) => (count === 1 ? 'einen eigenen Schlüssel' : `${count} eigene Schlüssel`),
  keysAt: (address) => `ihre Schlüssel unter ${address}`,
  ofSubject: (issuer, subject) => `ein Token von ${issuer} mit dem Subjekt ${subject}`,
  ofClaims: (issuer, claims) => `ein Token von ${issuer}, in dem ${claims}`,
  claimIs: (name, value) => `${name} ${value} ist`,
  and: ' und ',
}
