import type { notices as en } from './en-notices.ts'

export const notices: typeof en = {
  notMe: {
    title: 'Dit was ik niet',
    heading: 'Was u dit niet?',
    lead: 'Dan was iemand anders in uw account. Druk op de knop, en meteen gebeurt dit:',
    undone: {
      address_requested:
        'Het andere adres geldt niet meer; als het al geldt, wordt uw adres weer dat waar dit bericht naartoe ging.',
      address_changed:
        'Uw adres wordt weer dat waar dit bericht naartoe ging, en de tweede factoren worden weer wat ze waren.',
      factor_created: 'De tweede factor die is ingesteld, wordt verwijderd.',
      factor_removed: 'De tweede factor die is verwijderd, komt terug.',
      recovery_codes_created: 'De nieuwe herstelcodes gelden niet meer.',
      deletion_requested: 'Uw account wordt niet verwijderd en geldt weer.',
      link_created: 'De aanmelding die is gekoppeld, wordt verwijderd, en wat daaruit voortkwam eindigt.',
    },
    undoneEach: {
      factor_created: 'De tweede factoren die zijn ingesteld, worden verwijderd.',
      factor_removed: 'De tweede factoren die zijn verwijderd, komen terug.',
    },
    later: 'Ook andere wijzigingen sindsdien van uw adres en uw tweede factoren worden teruggedraaid.',
    stands:
      'Wat een beheerder sindsdien heeft ingesteld, of u zelf met een link uit een e-mail, blijft zoals het is.',
    signsOut: 'U wordt overal afgemeld, in elke browser en elke toepassing.',
    voids: 'Uw wachtwoord wordt ongeldig, zodat niemand zich ermee aanmeldt. Daarna kiest u een nieuw.',
    submit: 'Dit was ik niet',
    wasMe: 'Als u het was, sluit dan deze pagina. Er is niets veranderd.',
    doneHeading: 'Uw account is voorlopig veilig',
    done: 'Niemand is er nog aangemeld, en het wachtwoord is ongeldig. Kies een nieuw: geef bij het aanmelden aan dat u het bent vergeten, of vraag het de mensen die deze dienst beheren. Bekijk daarna uw tweede factoren.',
    endedHeading: 'Deze link is niet meer te gebruiken',
    ended:
      'Hij is gebruikt, of ouder dan zeven dagen. Als iemand anders in uw account is, kies dan een nieuw wachtwoord en vraag het de mensen die deze dienst beheren.',
    account: 'Naar uw account',
  },
}
