import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressParts } from '../../../src/core/network/address-parts.ts'

const NONE = {
  Scheme: '',
  Opaque: '',
  User: null,
  Host: '',
  Path: '',
  Fragment: '',
  RawQuery: '',
  RawPath: '',
  RawFragment: '',
  ForceQuery: false,
  OmitHost: false,
}

const CASES: Readonly<Record<string, Partial<typeof NONE>>> = {
  'tcp://127.0.0.1:22000': { Scheme: 'tcp', Host: '127.0.0.1:22000' },
  'TCP6://[fe80::1%25eth0]:22000': { Scheme: 'tcp6', Host: '[fe80::1%25eth0]:22000' },
  'relay://r.example:443/?id=A&x=1': { Scheme: 'relay', Host: 'r.example:443', Path: '/', RawQuery: 'id=A&x=1' },
  'dynamic+https://u:p@r.example/end%2Fpoint?': {
    Scheme: 'dynamic+https',
    Host: 'r.example',
    Path: '/end/point',
    RawPath: '/end%2Fpoint',
    ForceQuery: true,
  },
  'tcp://h/a%20b#f%zz': { Scheme: 'tcp', Host: 'h', Path: '/a b', Fragment: 'f%zz', RawFragment: 'f%zz' },
  'mailto:someone': { Scheme: 'mailto', Opaque: 'someone' },
  default: { Path: 'default' },
  '': {},
}

for (const [text, parts] of Object.entries(CASES)) {
  test(`the parts of ${JSON.stringify(text)}, without its login`, () => {
    assert.deepEqual(addressParts(text), { ...NONE, ...parts })
  })
}
