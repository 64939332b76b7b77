import { phrase } from './phrase.ts'
import type { recovery as english } from './en-recovery.ts'

export const recovery: typeof english = {
  forgotten: {
    link: 'Nie pamiętasz hasła?',
    title: 'Zapomniane hasło',
    heading: 'Ustaw nowe hasło',
    text: 'Wpisz adres e-mail, którym się logujesz. Dostaniesz wiadomość z linkiem do ustawienia nowego hasła.',
    submit: 'Wyślij link',
    sentHeading: 'Sprawdź pocztę',
    sent: (email) => phrase`Jeśli istnieje konto z adresem ${email}, wiadomość z linkiem jest w drodze.`,
    good: 'Link działa jeden raz, przez pół godziny.',
    goesOn:
      'Link działa jeden raz, przez pół godziny. Otwórz go w tej przeglądarce, a logowanie potoczy się dalej tam, gdzie się zatrzymało.',
    nothing: (again) => phrase`Nic nie przyszło? Zajrzyj do spamu, porównaj adres albo ${again}.`,
    again: 'poproś o wysłanie jeszcze raz',
    back: 'Wróć do logowania',
  },
  reset: {
    title: 'Ustaw nowe hasło',
    heading: 'Ustaw nowe hasło',
    lead: (account) => phrase`dla konta ${account}`,
    ends: 'Potem logowanie będzie ważne tutaj, a wszędzie indziej nastąpi wylogowanie.',
    factorLead: (account) =>
      phrase`Zanim ustawisz nowe hasło dla ${account}, potwierdź drugim składnikiem, że to Ty.`,
    lost: 'Bez drugiego składnika i jego kodów zapasowych zwróć się do osób, które prowadzą tę usługę.',
    password: 'Nowe hasło',
    again: 'Nowe hasło jeszcze raz',
    submit: 'Zapisz hasło',
    waysTitle: 'Wybierz sposób logowania',
    passkeyText:
      'Klucz dostępu (passkey) przechowuje to urządzenie lub menedżer haseł. Logujesz się palcem, twarzą lub kodem PIN i niczego nie musisz pamiętać.',
    orPassword: 'Albo ustaw hasło',
  },
  resetEnded: {
    title: 'Ten link już nie działa',
    heading: 'Ten link już nie działa',
    text: 'Link do ustawienia hasła działa jeden raz i krótko, a liczy się tylko najnowszy.',
    ask: 'Poproś osoby, które prowadzą tę usługę, o nowy.',
    again: 'Poproś o nowy link',
  },
  newPassword: {
    title: 'Ustaw swoje hasło',
    heading: 'Ustaw swoje hasło',
    lead: (client) => phrase`zanim przejdziesz do ${client}`,
    text: 'Obecne hasło ustawił ktoś inny. Wybierz takie, które znasz tylko Ty.',
    same: 'To hasło, które już masz. Wybierz inne.',
  },
}
