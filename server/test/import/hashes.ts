/**
 * Hashes that other systems wrote, each with what made it. Those of Python libraries were made by the function that is
 * named, with few rounds; those of Keycloak are of a realm export of test people.
 */
export interface ForeignHash {
  from: string
  password: string
  hash: string | { credentialData: string; secretData: string } | { passwordHash: string; salt: string }
}

export const strong: readonly ForeignHash[] = [
  {
    from: 'Keycloak 26.7.3, realm export',
    password: 'Kranich-2024!',
    hash: {
      credentialData:
        '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
      secretData:
        '{"value":"OJ76jCcVHvkMBxS7hFgA6J44MKZXShSDfVqxG4YRoD4=","salt":"PF7toyQ0iJQ/2L1+gWY+Fw==","additionalParameters":{}}',
    },
  },
  {
    from: 'Keycloak 26.7.3, realm export',
    password: 'Grüße aus Köln, 84 m² 🚲',
    hash: {
      credentialData:
        '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
      secretData:
        '{"value":"W4Loq78Lzk7ioH4yMIH/q5A+oCySTcRxe+pJ9QGAW5g=","salt":"abQ6P95vwmHAm4KD4wbHTg==","additionalParameters":{}}',
    },
  },
  {
    from: 'Keycloak 26.7.3, realm export',
    password: 'Fischmarkt#512',
    hash: {
      credentialData: '{"hashIterations":210000,"algorithm":"pbkdf2-sha512","additionalParameters":{}}',
      secretData:
        '{"value":"PrcAXSHl4JXzmwfd9an2ToSWKU16ZeeFxOUnlQ0t0vJcwQRM5B/QViJYWxHiWFcpwoyetCrGDabw3CengBVtCQ==","salt":"+ttw1fiDDOK6qKJ/hLHVUw==","additionalParameters":{}}',
    },
  },
  {
    from: 'Keycloak 26.7.3, realm export',
    password: 'Schleppkahn 27500',
    hash: {
      credentialData: '{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
      secretData:
        '{"value":"LuN7LBnHx4gWyklYSWdMZV23dKxRAuM45l6XPCRE2WQ=","salt":"Blx06fauJUMQi3vP/TRHZg==","additionalParameters":{}}',
    },
  },
  {
    from: 'Keycloak 26.7.3, realm export',
    password: 'Möwe&Möwe-1',
    hash: {
      credentialData: '{"hashIterations":20000,"algorithm":"pbkdf2","additionalParameters":{}}',
      secretData:
        '{"value":"wB7BiAGHblCeFbsuMfJrsctMuH+QPHR2g7Ne9t3j532C6Q0nusUQP8QFlRijbX/qLmJOa4/ocfSyQkNteW2PoQ==","salt":"pN4cx+lOkx5/cj1RorhDyA==","additionalParameters":{}}',
    },
  },
  {
    from: 'dotnet/aspnetcore, PasswordHasherTest.cs',
    password: 'my password',
    hash: 'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
  },
  {
    from: 'dotnet/aspnetcore, PasswordHasherTest.cs',
    password: 'my password',
    hash: 'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
  },
  {
    from: 'dotnet/aspnetcore, PasswordHasherTest.cs',
    password: 'my password',
    hash: 'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
  },
  {
    from: 'dotnet/aspnetcore, PasswordHasherTest.cs',
    password: 'my password',
    hash: 'AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==',
  },
  {
    from: 'dotnet/aspnetcore, PasswordHasherTest.cs',
    password: 'my password',
    hash: 'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==',
  },
  {
    from: 'Django 5.2.19',
    password: 'Überseehafen 02 €',
    hash: 'pbkdf2_sha1$1000000$aeBdeNg8fjSipYzl6fXO0H$VZfgr+KY/jC5xkcq+iC//XLT5y8=',
  },
  {
    from: 'Django 5.2.19',
    password:
      'LangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLangLang',
    hash: 'bcrypt_sha256$$2b$12$I/02wx7tFfLjt18M.MWysOqEd7/7g.TF06TdNvjJ7hUpXc7FVR6fm',
  },
  {
    from: 'passlib 1.7.4',
    password: 'it\'s "20" \\ slash',
    hash: '$pbkdf2-sha512$25000$CiFk7H3PWSvFWOudEwLAeA$Y.TgWQjmDzo8iI3m9djLNooN8K8dQ4t31Rm0fJY6NmgIZP/g.u3YGr85wnoChF6XWWoGXdwVx/RU0DOrfox1Qw',
  },
  {
    from: 'better-auth 1.7.25 (better-auth/crypto hashPassword)',
    password: 'Torfmoor better 1',
    hash: '5c4ec6504c1c63dc3ce488a600dcf2ee:a167a32c3a6957e0cf77fe91b47a0d23029290bae1256e9f8c44fa49809b567ad497dcd250db663ad0f05d61c8f860ee31de4e5690f977d28af5450f375acdcf',
  },
  {
    from: 'better-auth 1.7.25 (better-auth/crypto hashPassword)',
    password: 'Überseehafen 2 €',
    hash: 'bcdd7a726b67fa8910876c999aa993c2:69c25fa0786ebf53e69e5bc380d099f289059dd901237bb77a0204cc6b62bceccf9c9ae3c8abcc22abc22c2bdc9db6dac3c05b119deb0ede6d165b6f1726b85c',
  },
  {
    from: 'better-auth 1.7.25 (better-auth/crypto hashPassword)',
    password: 'K und ½ und ﬁ',
    hash: 'eb03cc84d098fb2c60ff22619b2b59c9:c3cd81622a9d29ce4dfd51a7f0aaef85eaf97d57fa128727ab8397afd11d6a07f9065a31ccd9422874c11a5cb5ef4232edb845968657a6077ce830ae69c13ee1',
  },
  {
    from: 'Django 5.2.19, ScryptPasswordHasher',
    password: 'Grüße ½ an 😀',
    hash: 'scrypt$1024$salt-of-django$8$5$zNbXUwO6AdA4NnqPu/ADIUrYnA1zN3igI+MDIi+/DmJV+3FdTk6KPF/S992jclABWPMmn5S7ObzXyPFx4Y8t8g==',
  },
  {
    from: 'Django 5.2.19, PBKDF2PasswordHasher',
    password: 'Grüße ½ an 😀',
    hash: 'pbkdf2_sha256$1000$salt$/bH8mKdCHZ4L7JjBjo9WCQ9YrLznB988jdHiD0SqFLM=',
  },
  {
    from: 'Django 5.2.19, BCryptSHA256PasswordHasher, 81 bytes',
    password: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1',
    hash: 'bcrypt_sha256$$2b$05$YzPKM0.JeT1zAOZjLaeKB.mDAGQAaxomHoSP3CC9TSJtFrw1vSh4i',
  },
  {
    from: 'Django 5.2.19, BCryptPasswordHasher',
    password: 'Grüße ½ an 😀',
    hash: 'bcrypt$$2b$05$Wpd9mjpukccJlvFmbQtDueHshEdYWv0L1/kil50sVDdaHzUn/RT3S',
  },
  {
    from: 'Django 5.2.19, Argon2PasswordHasher',
    password: 'Grüße ½ an 😀',
    hash: 'argon2$argon2id$v=19$m=1024,t=2,p=8$RXpVT1lVTkhQang1M0l3WEtMWFRsUg$BYjShMWZZ8WlJpVCTXZaLYnRh1/F2IdOXhyniM9Vs/g',
  },
  {
    from: 'Werkzeug 3.1.9, generate_password_hash',
    password: 'Grüße ½ an 😀',
    hash: 'scrypt:1024:8:1$8gmy5u7q6BQVnjzU$238108732cc304e327d1cc23d21cf39d61b1782f7b498de292fdb17e8fcb671b2c6fc1286500bea8007a9d4c92ef6785a49ee3983b4bf6121c852a957b22eabb',
  },
  {
    from: 'Werkzeug 3.1.9, generate_password_hash',
    password: 'Grüße ½ an 😀',
    hash: 'pbkdf2:sha1:1000$TfNDn8FXr2bl6vbS$4dbdf5bc6f00a3888af3a72bcb1d0cf7108f82d9',
  },
  {
    from: 'Werkzeug 3.1.9, generate_password_hash',
    password: 'Grüße ½ an 😀',
    hash: 'pbkdf2:sha256:1000$QkOSDcxCNZndnzYS$8fddc795ad8756c41c6b21ed6770f2555ce3115e4fcd614595f8b06e8bc10a66',
  },
  {
    from: 'Werkzeug 3.1.9, generate_password_hash',
    password: 'Grüße ½ an 😀',
    hash: 'pbkdf2:sha512:1000$DtHoW4AGGhZ0tB45$ab14d3435f61b8344dee34b849c4c305226153553a61181034cb38ee14d83efab3ef27ae7d9ade9861e504152db2a732efaed70a11ccd7ee4de4479a1763e31a',
  },
  {
    from: 'passlib 1.7.4, ldap_pbkdf2_sha1',
    password: 'Grüße ½ an 😀',
    hash: '{PBKDF2}1000$wbg3ptSa837P.b93DqGUcg$G2at68zN.NJUfVt/TQhO7pBcimk',
  },
  {
    from: 'passlib 1.7.4, ldap_pbkdf2_sha256',
    password: 'Grüße ½ an 😀',
    hash: '{PBKDF2-SHA256}1000$HGPMmbPWGsM4p9T6PwfAOA$/0kkF8cjgiPYWYW/lbKl.mrDsYri/iU.yND5otCTEUY',
  },
  {
    from: 'passlib 1.7.4, ldap_pbkdf2_sha512',
    password: 'Grüße ½ an 😀',
    hash: '{PBKDF2-SHA512}1000$hvC.d.6dk7IWAsA4x5jzXg$hxPP2RiiiMywKE4s4xaSxkOQO55ndlr7asc4obDflHguvYICX6UH7cJcp4R2QFc8lswc1FjYHAKbSZ.l1CLCxg',
  },
  {
    from: 'passlib 1.7.4, ldap_bcrypt',
    password: 'Grüße ½ an 😀',
    hash: '{CRYPT}$2b$05$gkjK1WDbB90iujuJMlU9hOvG5MfySUGzGMSBpHa/rBJByjshksYTW',
  },
  {
    from: 'passlib 1.7.4, scrypt',
    password: 'Grüße ½ an 😀',
    hash: '$scrypt$ln=10,r=8,p=1$yhmD8N5by7l3rpXSWmstZQ$AjYSTSu5IUNei7FbdQ3Ihso2s5M1rw9FKIEY8te/+g0',
  },
  {
    from: 'argon2-cffi 25.1.0, below the name that OpenLDAP writes',
    password: 'Grüße ½ an 😀',
    hash: '{ARGON2}$argon2id$v=19$m=1024,t=2,p=1$jG/urh+RAMzisD33N4Ilow$S+qqE0LPmK5NXtTesdWOPV86FUez3tvfYbgmub3YFGI',
  },
  {
    from: 'Kratos, which writes N as ln',
    password: 'Grüße-an-alle 2024',
    hash: '$scrypt$ln=16384,r=8,p=1$R6kENxBXAW3vwrnXCbnAtA==$58R+z0Yz9OZIruBRzSHDCqBWPH+Nu3qbzpLQbctKK/E=',
  },
  {
    from: 'ory/kratos, hash_comparator_test.go',
    password: '8x4WjoDbSxJZdR',
    hash: '$firescrypt$ln=14,r=8,p=1$sPtDhWcd1MfdAw==$xbSou7FOl6mChCyzpCPIQ7tku7nsQMTFtyOZSXXd7tjBa4NtimOx7v42Gv2SfzPQu1oxM2/k4SsbOu73wlKe1A==$Bw==$YE0dO4bwD4JnJafh6lZZfkp1MtKzuKAXQcDCJNJNyeCHairWHKENOkbh3dzwaCdizzOspwr/FITUVlnOAwPKyw==',
  },
]

/** The parameters of the published example of firebase/scrypt, as the console of Firebase shows them. */
export const firebaseKey = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
`

export const ofFirebase: readonly ForeignHash[] = [
  {
    from: 'firebase-scrypt 0.1.0; the published test vector',
    password: 'user1password',
    hash: {
      passwordHash:
        'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
      salt: '42xEC+ixf3L2lw==',
    },
  },
  {
    from: 'firebase-scrypt 0.1.0',
    password: 'ß→33 ½ 🌊',
    hash: {
      passwordHash:
        'm58sal/phdMPe8epNgS1M9IE5CheOf05sMBsTjODa5qjVWIvvKrG+Q5Y/Yj9SjPu57w+8kH2JqXxwKMYFN2kBA==',
      salt: 'kpdQ+Vu+nN6GNw==',
    },
  },
  {
    from: 'firebase-scrypt 0.1.0',
    password: 'plain34word',
    hash: {
      passwordHash:
        'yw2Aum7dUX6z/bIhjc9STL2JAoqR7zly3J5JFEkG5VrqBfhpHWdcLozfBGSCAcF1dvv2HNWlLw3/XFKzeUqKMg==',
      salt: '/Q9R6ZaGeILJ1A==',
    },
  },
  {
    from: 'the same as auth:export of firebase-tools writes it, in base64url',
    password: 'user1password',
    hash: {
      passwordHash:
        'lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==',
      salt: '42xEC-ixf3L2lw==',
    },
  },
]

export const weak: readonly ForeignHash[] = [
  { from: 'passlib 1.7.4, phpass', password: 'plain24word', hash: '$P$HizBI3Mk12PBsqa3bNCFVJ.Q4UMMGJ0' },
  { from: 'passlib 1.7.4, phpass', password: 'Grüße ½ an 😀', hash: '$P$6LjrpIG5Cs7Vi8Gy/S3eN9FRHT86P0/' },
  { from: 'passlib 1.7.4, phpass', password: 'Grüße ½ an 😀', hash: '$H$6AySDnod4mNWlWoC333hSmg1FU0MXX.' },
  {
    from: 'passlib 1.7.4, sha256_crypt',
    password: 'Grüße ½ an 😀',
    hash: '$5$rounds=1000$vZ5CIso9Z4RPFKGH$vD7ResC5UKpejgc4ktjHfxniaFFeS3KO.g2VtZ1xba1',
  },
  {
    from: 'passlib 1.7.4, sha256_crypt',
    password: 'a',
    hash: '$5$rounds=1000$4yRqSzRMgoGmx9NB$QfS1yLKu1m8HBd56qKr9mUAOrC1.o/J9JDg1vRUryJ8',
  },
  {
    from: 'passlib 1.7.4, sha256_crypt',
    password: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    hash: '$5$rounds=1000$.MT4RlQEts9t91Q9$UIHJHsoJRKUHSDvd6jpl/QTp/Dff8BrJwBRiMl0Hqd0',
  },
  {
    from: 'passlib 1.7.4, sha256_crypt',
    password: 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
    hash: '$5$rounds=1000$aHeKfFoGE8oCzRJX$Y5Mql5snIew4DcN9jF9Sx6LErg/vrxaocrgkEviAjc4',
  },
  {
    from: 'passlib 1.7.4, sha256_crypt',
    password:
      'long long long long long long long long long long long long long long long long long long long long long long long long long ',
    hash: '$5$rounds=1000$.g5Eav9NSgAd1o8J$Eaj6.0MkNeCu8ngvZOpIkWAypEj8SJDC6867JI9Dc86',
  },
  {
    from: 'passlib 1.7.4, sha256_crypt',
    password: 'Grüße ½ an 😀',
    hash: '$5$W4AfAcLiALYHnnu8$CdDyKJD1.tGBqn7jbMNmqF1bUuvXmmHc6.Vjvo2kY13',
  },
  {
    from: 'passlib 1.7.4, ldap_sha256_crypt',
    password: 'Grüße ½ an 😀',
    hash: '{CRYPT}$5$rounds=1000$i57$LOLfMrmj24uAD/ki5THLAeHG3GJWiZbowZ.usZF97g2',
  },
  {
    from: 'passlib 1.7.4, sha512_crypt',
    password: 'Grüße ½ an 😀',
    hash: '$6$rounds=1000$EfqKiUv3L6RRe3r7$h2PhK.E2NpM3Ag06EzHmDh7AANlexG37RSuz/YjALSvuSi.C3u4yk2U6P9xfpSfA1f9qjM06Vw/.02fksens11',
  },
  {
    from: 'passlib 1.7.4, sha512_crypt',
    password: 'a',
    hash: '$6$rounds=1000$dvfMLWzwT88xz21B$zW5ZWRcDfSzXa9c4DvXX1iGQwcYAKpTlN/Qh/K1YfpOnbkfBAhHXK7/MwwU7k3pDcFEt8enKpzSP2NpBqeJ5y0',
  },
  {
    from: 'passlib 1.7.4, sha512_crypt',
    password: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    hash: '$6$rounds=1000$oEd3IroJ4F6QSiI2$NiYIB2p1HCFXFH9fcWZHRnfI2QqAHPIfOiv80oaXGB./LP4dJfhsuhUJGPDUeyAxHUAb5PPBA75vDoN5QZgEs1',
  },
  {
    from: 'passlib 1.7.4, sha512_crypt',
    password: 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
    hash: '$6$rounds=1000$5lY1v3Sw9FI7UfOl$53c6ragwVs9qrOhzuFYSC3LmW.BtjH2aAIxrfyVbeHnd1HErc8vyxnRqAZ1Owvg2Iv/mVi7B23lfZ6ojw./VQ/',
  },
  {
    from: 'passlib 1.7.4, sha512_crypt',
    password:
      'long long long long long long long long long long long long long long long long long long long long long long long long long ',
    hash: '$6$rounds=1000$/dZojfwrweCIaL3B$7ho1x6gARcj3g/gLs0lJqbP5C3JppnplhjBzIFXfsBF.w1RKqzDoTJGPb2qX6B5O4IHFL5PAQjy1C.9CHGqY.0',
  },
  {
    from: 'passlib 1.7.4, sha512_crypt',
    password: 'Grüße ½ an 😀',
    hash: '$6$WKpy8ndSJqfslGp0$.ISQGKilHZiLc7ydWtnbldtfyqlap9Z5bpfzYEIyLco62E20GLFaV3K55gWr5wNdnaA85OLN.ly1LOgIMoeUd0',
  },
  {
    from: 'passlib 1.7.4, ldap_sha512_crypt',
    password: 'Grüße ½ an 😀',
    hash: '{CRYPT}$6$rounds=1000$hAS$7s3cm7dB1TQUOYYktjeui14mqXnHYnbiE.BSXYSYxmuMterQf3XDsbPRavriimYHrLLS5uxcslVyZSW0jTdq2.',
  },
  {
    from: 'passlib 1.7.4, ldap_salted_sha1',
    password: 'Grüße ½ an 😀',
    hash: '{SSHA}KWdIRsIzNWrjQH4p/dTKbkf2u99nLCXE',
  },
  {
    from: 'passlib 1.7.4, ldap_salted_sha1',
    password: 'Grüße ½ an 😀',
    hash: '{SSHA}/g/u9bYyQCRZCqeJb7k/S7VoVtlZa825VwrBuHcuJQSAEAKg',
  },
  {
    from: 'passlib 1.7.4, ldap_salted_sha256',
    password: 'Grüße ½ an 😀',
    hash: '{SSHA256}kIkfsPdwryMYUSakJf5WiKClU3B8rDcReNQdRhTZXlXAeK/13lsrxQ==',
  },
  {
    from: 'passlib 1.7.4, ldap_salted_sha256',
    password: 'Grüße ½ an 😀',
    hash: '{SSHA256}yIM4W4KBQBz6SdgT4l+3Zq0GoVanVQ8fuzu7bZRoOzNPKeWcE2LsHQPgvLf2HgMg',
  },
  {
    from: 'passlib 1.7.4, ldap_salted_sha512',
    password: 'Grüße ½ an 😀',
    hash: '{SSHA512}oAbA6uStTQ420BY7PChRpd7XRiKRyBdzvhmYDh4iA4DAlo3TzAm5eJEKbiGTN/8LSN9v5QPjOY/KFhjisqDcB9L6H8M4Z2yt',
  },
  {
    from: 'passlib 1.7.4, ldap_salted_sha512',
    password: 'Grüße ½ an 😀',
    hash: '{SSHA512}xCwxFoy703/gxyfCv6tnRHywCuy65oHzB6mCSVenGeZp2osXt5MYc1IZG4qQk09djphAgFRRZiex34wR5uhteeR87z1nTMlZa02JkVJqrXU=',
  },
  {
    from: 'bcrypt 4.0.1 of base64(HMAC-SHA384), as wp_hash_password of WordPress 6.8',
    password: 'Grüße ½ an 😀',
    hash: '$wp$2y$05$x7xELZ1ogBwU1olDPP7L1OvfXzm9ST5vlMV8UG6wcEw1WvuEasBT.',
  },
  {
    from: 'SHA-crypt.txt of U. Drepper',
    password: 'Hello world!',
    hash: '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  },
  {
    from: 'SHA-crypt.txt of U. Drepper',
    password: 'Hello world!',
    hash: '$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA',
  },
  {
    from: 'SHA-crypt.txt of U. Drepper',
    password: 'Hello world!',
    hash: '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  },
]
