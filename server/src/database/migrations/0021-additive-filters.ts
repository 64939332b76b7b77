/** additive: what lists are filtered by. A process of the version before keeps them as any index. */
export const indexes = {
  clients_managed: 'clients (managed_by, client_id) where managed_by is not null',
  profiles_ending: 'profiles (expires_at, uuid) where expires_at is not null',
  profiles_organisation_ending: 'profiles (organisation_uuid, expires_at, uuid) where expires_at is not null',
  profiles_disabled: 'profiles (uuid) where active = 0',
  profiles_organisation_disabled: 'profiles (organisation_uuid, uuid) where active = 0',
}
