import { findProfile } from '../profiles.ts'
import { findOrganisation, findUnit } from '../references.ts'
import { resourceOf } from './resource.ts'

export const organisation = resourceOf('organisation', {
  argument: 'code|uuid',
  identify: findOrganisation,
})

export const unit = resourceOf('unit', {
  argument: 'organisation/code|uuid',
  identify: async (connection, text) => await findUnit(connection, text),
})

export const profile = resourceOf('profile', {
  argument: 'role[@organisation[/unit]]|uuid',
  identify: findProfile,
  beside: (command) =>
    command.option('--user <e-mail|uuid>', 'whose it is, where it is not named by its uuid'),
})
