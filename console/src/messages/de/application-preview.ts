import type { Messages } from '../en.ts'

export const preview: Messages['preview'] = {
  lead: 'Was die Anwendung erführe, wenn sich jetzt jemand anmeldete. Nichts wird ausgestellt oder aufbewahrt.',
  leadMachine:
    'Was ihr nächstes Access-Token sagen würde. Bei einer Maschine meldet sich niemand an, also gibt es niemanden zu wählen.',
  person: 'Person',
  profile: 'Profil',
  choose: 'Wählen Sie eine Person',
  chooseHow: 'Die Claims hängen davon ab, wer sich anmeldet und unter welchem Profil.',
  noProfile: 'Sie hat kein Profil und kann sich deshalb nicht anmelden.',
  documents: { id_token: 'ID-Token', access_token: 'Access-Token', userinfo: 'Userinfo' },
  claim: 'Claim',
  value: 'Wert',
  source: 'Woher',
  absent: (count) => (count === 1 ? '1 Claim fehlt' : `${count} Claims fehlen`),
  plain:
    'Sie fragt nicht nach openid (reines OAuth 2.0): Es gibt kein ID-Token, und Userinfo lehnt das Access-Token ab.',
  partly: 'Es sagt mehr, durch Berechtigungen, die Sie nicht haben.',
}
