/** additive: what one request did. A process of the version before keeps it as any index. */
export const indexes = {
  audit_records_request_id: 'audit_records (request_id, at, sequence) where request_id is not null',
}
