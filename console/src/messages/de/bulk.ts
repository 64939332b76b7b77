import type { Messages } from '../en.ts'

const people = (count: number) => (count === 1 ? '1 Person' : `${count} Personen`)

export const bulk: Messages['bulk'] = {
  select: 'Auswählen',
  selectOne: (name) => `${name} auswählen`,
  selectPage: 'Alle auswählen, die gezeigt sind',
  selected: (count) => `${people(count)} ausgewählt`,
  all: 'Alle Gefundenen sind ausgewählt',
  selectAll: 'Alle Gefundenen auswählen',
  clear: 'Niemanden auswählen',
  actions: {
    disable: 'Sperren',
    enable: 'Entsperren',
    give_role: 'Rolle geben',
    end_role: 'Rolle beenden',
    invite: 'Link senden',
  },
  titles: {
    disable: 'Diese Personen sperren?',
    enable: 'Diese Personen entsperren?',
    give_role: 'Diesen Personen eine Rolle geben',
    end_role: 'Eine Rolle dieser Personen beenden',
    invite: 'Diesen Personen einen Link senden?',
  },
  hows: {
    disable: 'Ihre Sitzungen und Token enden sofort.',
    enable: 'Sie können sich wieder anmelden. Was beendet ist, bleibt beendet.',
    give_role: 'Alle bekommen sie an dem Ort, den Sie wählen.',
    end_role: 'Sie endet an dem Ort, den Sie wählen. Was unter ihr ausgestellt wurde, endet sofort.',
    invite:
      'Wer noch nichts zum Anmelden hat, bekommt per Mail einen Link, um ein Passwort zu setzen. Er gilt eine Stunde.',
  },
  checking: 'Es wird geprüft, was geschähe',
  working: 'Personen werden geändert',
  would: (changed, already, refused) =>
    [
      `${people(changed)} ${changed === 1 ? 'würde' : 'würden'} geändert`,
      already > 0 && `bei ${already} ist es schon so`,
      refused > 0 && `${refused} ${refused === 1 ? 'würde' : 'würden'} abgelehnt`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  did: (changed, already, refused) =>
    [
      `${people(changed)} geändert`,
      already > 0 && `bei ${already} war es schon so`,
      refused > 0 && `${refused} abgelehnt`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  nobody: 'Niemand in Ihrem Bereich',
}
