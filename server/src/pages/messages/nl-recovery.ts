import { phrase } from './phrase.ts'
import type { recovery as english } from './en-recovery.ts'

export const recovery: typeof english = {
  forgotten: {
    link: 'Wachtwoord vergeten?',
    title: 'Wachtwoord vergeten',
    heading: 'Een nieuw wachtwoord kiezen',
    text: 'Vul het e-mailadres in waarmee u inlogt. U krijgt een e-mail met een link om een nieuw wachtwoord te kiezen.',
    submit: 'Link versturen',
    sentHeading: 'Kijk in uw e-mail',
    sent: (email) => phrase`Als er een account met ${email} is, is er een e-mail met een link onderweg.`,
    good: 'De link werkt één keer, een half uur lang.',
    goesOn:
      'De link werkt één keer, een half uur lang. Open hem in deze browser, dan gaat het inloggen verder waar het was.',
    nothing: (again) =>
      phrase`Niets ontvangen? Kijk bij de ongewenste e-mail, vergelijk het adres, of ${again}.`,
    again: 'laat hem nog een keer versturen',
    back: 'Terug naar het inloggen',
  },
  reset: {
    title: 'Een nieuw wachtwoord kiezen',
    heading: 'Een nieuw wachtwoord kiezen',
    lead: (account) => phrase`voor het account van ${account}`,
    ends: 'Daarna bent u hier ingelogd, en overal elders uitgelogd.',
    factorLead: (account) =>
      phrase`Toon met uw tweede factor dat u het bent, voordat u een nieuw wachtwoord voor ${account} kiest.`,
    lost: 'Zonder uw tweede factor en de herstelcodes vraagt u het de mensen die deze dienst beheren.',
    password: 'Nieuw wachtwoord',
    again: 'Het nieuwe wachtwoord nog een keer',
    submit: 'Wachtwoord opslaan',
    waysTitle: 'Kies hoe u inlogt',
    passkeyText:
      'Een passkey wordt bewaard door dit apparaat of uw wachtwoordbeheerder. U logt in met uw vinger, uw gezicht of een pincode en hoeft niets te onthouden.',
    orPassword: 'Of een wachtwoord instellen',
  },
  resetEnded: {
    title: 'Deze link werkt niet meer',
    heading: 'Deze link werkt niet meer',
    text: 'Een link om een wachtwoord te kiezen werkt één keer en korte tijd, en alleen de nieuwste telt.',
    ask: 'Vraag de mensen die deze dienst beheren om een nieuwe.',
    again: 'Een nieuwe link laten versturen',
  },
  newPassword: {
    title: 'Uw wachtwoord kiezen',
    heading: 'Kies uw wachtwoord',
    lead: (client) => phrase`voordat u verdergaat naar ${client}`,
    text: 'Iemand anders heeft uw huidige wachtwoord ingesteld. Kies er een dat alleen u kent.',
    same: 'Dit is het wachtwoord dat u al hebt. Kies een ander.',
  },
}
