/** What other systems write that is no hash to check a password by, or one that is worth nothing. */

const broken = (what: string) =>
  `is ${what}, from which passwords are guessed at once; leave it out, and the person chooses a password by a link`

export const refusedForms: readonly { form: RegExp; problem: string }[] = [
  {
    form: /^(?:$|[!*])/,
    problem: 'says that there is no password; leave it out',
  },
  {
    form: /^\$weak\$/,
    problem: 'is a weak hash that an import wrapped, which only the database keeps; leave it out',
  },
  { form: /^\$2x?\$/, problem: 'is bcrypt by a program with a flaw ($2x$, $2$); leave it out' },
  {
    form: /^\{(?:CLEARTEXT|PLAIN|PLAINTEXT)\}/i,
    problem: 'is a plain password, not a hash; leave it out',
  },
  {
    form: /^(?:\{(?:SHA|SHA256|SHA512|MD5|SMD5|HEX)\}|\{CRYPT\}\$1\$|\$1\$|\$apr1\$|\$sha1\$|(?:unsalted_)?(?:md5|sha1)\$)/i,
    problem: broken('a fast hash (MD5, SHA)'),
  },
  {
    form: /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i,
    problem: broken('a hash without salt (MD5, SHA)'),
  },
  {
    form: /^\{CRYPT\}(?!\$)/i,
    problem: broken('a hash of DES'),
  },
]
