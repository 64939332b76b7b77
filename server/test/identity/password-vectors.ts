/** Hashes that other implementations made, each with where it is from; `keycloak` is a credential of its export. */
export interface Vector {
  from: string
  password: string
  hash: string | { credentialData: string; secretData: string }
  /** As it is stored, where that is another text. */
  stored?: string
}

const rfc7914 = 'TdzY9guYviGDDO5e8icB+WQaRBjQTAQUrv8Ih2s0q1ah1CWhIlgzVJrbhBtRybMXaicr3ruh0HhHj2Kzl/M8jQ'

export const vectors: readonly Vector[] = [
  {
    from: 'phc-winner-argon2, src/test.c, version 0x10',
    password: 'password',
    hash: '$argon2i$v=16$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
  },
  {
    from: 'the same, as it was written before there was a version',
    password: 'password',
    hash: '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
  },
  {
    from: 'phc-winner-argon2, src/test.c, version 0x13',
    password: 'password',
    hash: '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  },
  {
    from: 'phc-winner-argon2, src/test.c, version 0x13',
    password: 'password',
    hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  },
  {
    from: 'argon2-jvm, Argon2dTest',
    password: 'password',
    hash: '$argon2d$v=19$m=1024,t=2,p=1$dGhpc2lzdGhlc2FsdA$rkBsbLVYkXDowmxcwZ9qjpLuAbNjIPBXxmD27YvzHzw',
  },
  {
    from: 'crypt_blowfish, wrapper.c',
    password: 'U*U',
    hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  },
  {
    from: 'libxcrypt, crypt("U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.")',
    password: 'U*U',
    hash: '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  },
  {
    from: 'libxcrypt, crypt("abc", "$2y$06$If6bvum7DFjUnE9p2uDeDu"), a salt of the tests of jBCrypt',
    password: 'abc',
    hash: '$2y$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i',
  },
  {
    from: 'RFC 7914 §11, PBKDF2-HMAC-SHA256, its first 32 bytes in the form of Django',
    password: 'Password',
    hash: 'pbkdf2_sha256$80000$NaCl$TdzY9guYviGDDO5e8icB+WQaRBjQTAQUrv8Ih2s0q1Y=',
  },
  {
    from: 'RFC 6070 §2, in the form of Django',
    password: 'password',
    hash: 'pbkdf2_sha1$4096$salt$SwB5AbdlSJq+rUnZJvch0GWkKcE=',
  },
  {
    from: 'RFC 7914 §11, in PHC form',
    password: 'Password',
    hash: `$pbkdf2-sha256$i=80000,l=64$TmFDbA$${rfc7914}`,
  },
  {
    from: 'the documentation of passlib 1.7.1',
    password: 'toomanysecrets',
    hash: '$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk',
  },
  {
    from: 'RFC 6070 §2, in the form of passlib',
    password: 'password',
    hash: '$pbkdf2$4096$c2FsdA$SwB5AbdlSJq.rUnZJvch0GWkKcE',
  },
  {
    from: 'hashlib.pbkdf2_hmac("sha512", b"password", b"salt", 1000) of Python 3',
    password: 'password',
    hash: '$pbkdf2-sha512$i=1000$c2FsdA$r+bFUweFtsxrHGRTOEcxvV7kMu5Un9QvtmlXea2KHFv1neacSPd078QAfVKY+QM8AkHVq2kwXntk7O642DTP7A',
  },
  {
    from: 'RFC 7914 §12',
    password: 'password',
    hash: '$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA',
  },
  {
    from: 'RFC 7914 §12',
    password: 'pleaseletmein',
    hash: '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
  },
  {
    from: 'RFC 7914 §11, as Keycloak exports a credential',
    password: 'Password',
    hash: {
      credentialData: '{"hashIterations":80000,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
      secretData: `{"value":"${rfc7914}==","salt":"TmFDbA==","additionalParameters":{}}`,
    },
    stored: `$pbkdf2-sha256$i=80000$TmFDbA$${rfc7914}`,
  },
  {
    // NFKC, by which our own passwords are compared, makes the last character three.
    from: 'hashlib.pbkdf2_hmac("sha256", "pässword½".encode(), b"salt", 1000) of Python 3',
    password: 'pässword½',
    hash: 'pbkdf2_sha256$1000$salt$sDwFCLyRERanewWB6hOwABgVX9gHuAOTvzJqtdTchtY=',
  },
]
