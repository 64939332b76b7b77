import type { Messages } from '../en.ts'

export const wizard: Messages['wizard'] = {
  first: 'Die erste verbinden',
  connect: 'Verbinden',
  step: (number) => `Schritt ${number} von 4`,
  another: 'Anwendung verbinden',
  what: 'Was verbinden Sie?',
  kinds: {
    browser: {
      title: 'Eine Webseite ohne Server',
      example: 'React, Vue oder reines JavaScript: Alles läuft im Browser.',
    },
    server: {
      title: 'Eine Webanwendung mit Server',
      example: 'Node, Python, Go, .NET, Java: Ihr Server kann ein Geheimnis bewahren.',
    },
    proxied: {
      title: 'Eine Webanwendung, die selbst niemanden anmelden kann',
      example:
        'Ein Wiki, ein Dashboard, ein altes Werkzeug hinter nginx, Caddy oder Traefik: Sie bleibt, wie sie ist.',
    },
    device: {
      title: 'Eine App auf Telefon, Rechner oder im Terminal',
      example: 'Sie ist auf dem Gerät derer installiert, die sie nutzen.',
    },
    machine: {
      title: 'Ein Programm, bei dem sich niemand anmeldet',
      example: 'Ein nächtlicher Lauf oder ein anderer Dienst: Es handelt für sich selbst.',
    },
    product: {
      title: 'Ein Produkt, das Sie installiert haben',
      example: 'Grafana, Gitea, Argo CD, Keycloak und andere: Es bekommt, was es braucht.',
    },
  },
  where: 'Wie heißt sie, und wo ist sie?',
  nameHow: 'Man sieht ihn beim Anmelden.',
  nameMissing: 'Sie braucht einen Namen.',
  id: 'Kennung (client_id)',
  idHow: 'Vom Namen vorgeschlagen. Sie ändert sich nie.',
  byCode: 'Sie zeigt einen Code',
  byCodeHow:
    'Für Geräte ohne Browser: Man gibt den Code anderswo ein, und nichts kommt an eine Adresse zurück.',
  product: 'Produkt',
  choose: 'Wählen Sie eines',
  library: 'Womit ist sie gemacht?',
  libraryHow: 'Nichts davon: lassen Sie es weg.',
  urlMissing:
    'Geben Sie an, wo sie läuft, beginnend mit https://. Ihre anderen Adressen werden daraus gebildet.',
  url: (product) => `Wo ist ${product}?`,
  endsInSlash: (uri) =>
    `${uri} endet auf einen Schrägstrich. Adressen werden Zeichen für Zeichen verglichen: Sendet Ihr Framework sie so?`,
  local:
    'localhost und 127.0.0.1 sind verschiedene Adressen: Nehmen Sie die, die der Browser zeigt, oder beide.',
  anyPort:
    '127.0.0.1 darf jeden Port haben: Er wird nicht verglichen. Tragen Sie es ohne Port ein; bei localhost wird er verglichen.',
  may: 'Was darf sie?',
  whoAndMay: 'Wer darf sie benutzen, und was darf sie?',
  servicesHow: 'Ohne einen Dienst meldet sie Personen an, und nicht mehr.',
  servicesMachine: 'Was es aufruft, und was es dort darf.',
  next: 'Weiter',
  back: 'Zurück',
  done: (name) => `${name} ist verbunden`,
  open: 'Ihre Seite in der Konsole',
  askCode: 'So fragt das Gerät nach dem Code, den Personen eingeben',
  askToken: 'So bekommt es ein Access-Token',
  snippet: 'Fügen Sie das ein',
  into: (where: string) => `Wohin: ${where}`,
  anyLibrary: 'Die Einstellungen der Anwendung, wie auch immer ihre Bibliothek sie nennt',
}
