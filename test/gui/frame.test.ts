import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeyChord, PLACE_KEYS, type KeyPress } from '../../gui/view-model/key-chord.ts'
import { bestMatches, matchRank } from '../../gui/base/match.ts'
import { movedTo } from '../../gui/view-model/moved.ts'
import { titleOf } from '../../gui/view-model/title.ts'
import { csrfHeaders } from '../../gui/live/csrf.ts'
import { Pauses } from '../../gui/base/pauses.ts'

describe('the title of the tab', () => {
  it('starts with the status, then names the device', () => {
    assert.equal(titleOf('good', 'Everything is up to date.', 'Laptop', 0), 'Laptop – Twinfold')
    assert.equal(
      titleOf('wait', '3 items are waiting: no connected device has them.', 'Laptop', 0),
      '● 3 items are waiting – Laptop – Twinfold',
    )
    assert.equal(
      titleOf('bad', '2 items in a.b could not be synchronized. See there.', 'x', 0),
      '▲ 2 items in a.b could not be synchronized – x – Twinfold',
    )
    assert.equal(titleOf('busy', '正在下载 3 项到 照片。', '', 0), '↻ 正在下载 3 项到 照片 – Twinfold')
    assert.equal(titleOf('wait', '有 3 项在等待：没有已连接的设备。', '', 0), '● 有 3 项在等待 – Twinfold')
    assert.equal(
      titleOf('bad', '2 folders need attention · 3 conflicts', 'x', 4),
      '(4) ▲ 2 folders need attention – x – Twinfold',
    )
  })
})

describe('the address of the page after its settings were changed', () => {
  const before = { address: '127.0.0.1:8384', useTLS: false }
  const moved = (address: string, useTLS = false) => movedTo(before, { address, useTLS }, 'nas.local')

  it('is defined only when they were changed', () => {
    assert.equal(moved('127.0.0.1:8384'), undefined)
    assert.equal(moved('127.0.0.1:8385'), 'http://127.0.0.1:8385/')
    assert.equal(moved('127.0.0.1:8384', true), 'https://127.0.0.1:8384/')
  })

  it('keeps the host where the daemon listens on all', () => {
    for (const all of ['0.0.0.0:9000', ':9000', '[::]:9000']) assert.equal(moved(all), 'http://nas.local:9000/')
    assert.equal(moved('[::1]:9000'), 'http://[::1]:9000/')
  })

  it('is undefined for one that a browser cannot open', () => {
    const hostile = [
      'unix:///run/x',
      '/run/gui.sock',
      '127.0.0.1',
      '127.0.0.1:0',
      '127.0.0.1:70000',
      'a/b:80',
      'me@evil:80',
      'me@evil:80/x',
      '',
    ]
    for (const address of hostile) assert.equal(moved(address), undefined, address)
    assert.equal(moved('javascript:1'), 'http://javascript:1/', 'a host of that name')
  })
})

describe('finding commands', () => {
  it('ranks a prefix first, then word starts, then any match', () => {
    assert.equal(matchRank('Rescan Photos', 'resc'), 0)
    assert.equal(matchRank('Rescan Photos', 'photo'), 1)
    assert.equal(matchRank('Rescan Photos', 'pho re'), 2)
    assert.equal(matchRank('Rescan Photos', 'can oto'), 3)
    assert.equal(matchRank('Rescan Photos', 'pause'), undefined)
    assert.equal(matchRank('anything', '  '), 0)
  })

  it('ignores accents and case', () => {
    assert.equal(matchRank('Réanalyser Été', 'REANALYSER ete'), 0)
    assert.equal(matchRank('暂停 照片', '照片'), 1)
  })

  it('keeps the order of equals, up to the limit', () => {
    const items = ['b x', 'a', 'x b', 'x a'].map((text) => ({ text }))
    assert.deepEqual(
      bestMatches(items, 'x', 9).map(({ text }) => text),
      ['x b', 'x a', 'b x'],
    )
    assert.equal(bestMatches(items, '', 2).length, 2)
  })
})

describe('keys', () => {
  const pressed = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
    key,
    ctrl: false,
    alt: false,
    typing: false,
    atMs: 0,
    ...more,
  })

  it('open commands, also out of a field', () => {
    for (const key of ['k', 'K'])
      assert.deepEqual(new KeyChord().press(pressed(key, { ctrl: true, typing: true })), { kind: 'commands' })
    assert.equal(new KeyChord().press(pressed('k')), undefined)
  })

  it('search and help, but are text in a field', () => {
    assert.deepEqual(new KeyChord().press(pressed('/')), { kind: 'search' })
    assert.deepEqual(new KeyChord().press(pressed('?')), { kind: 'help' })
    for (const key of ['/', '?', 'g']) assert.equal(new KeyChord().press(pressed(key, { typing: true })), undefined)
    assert.equal(new KeyChord().press(pressed('/', { ctrl: true })), undefined)
  })

  it('navigate after g, unless it timed out or another key came between', () => {
    for (const [key, place] of Object.entries(PLACE_KEYS)) {
      const chord = new KeyChord()
      assert.equal(chord.press(pressed('g')), undefined)
      assert.deepEqual(chord.press(pressed(key, { atMs: 900 })), { kind: 'go', place })
      assert.equal(chord.press(pressed(key, { atMs: 901 })), undefined, 'once')
    }
    const late = new KeyChord()
    late.press(pressed('g'))
    assert.equal(late.press(pressed('f', { atMs: 5_000 })), undefined)
    const other = new KeyChord()
    for (const key of ['g', 'x']) other.press(pressed(key))
    assert.equal(other.press(pressed('f')), undefined)
    assert.equal(new KeyChord().press(pressed('toString')), undefined)
  })
})

describe('the token of the page', () => {
  it('is sent for every daemon of the host, and no other cookie is', () => {
    assert.deepEqual(csrfHeaders('a=b; CSRF-Token-ABC=one; sessionid-ABC=secret;CSRF-Token-DEF=two'), {
      'X-CSRF-Token-ABC': 'one',
      'X-CSRF-Token-DEF': 'two',
    })
    assert.deepEqual(csrfHeaders(''), {})
  })
})

describe('pauses', () => {
  it('can all be ended early', async () => {
    const pauses = new Pauses()
    const waiting = Promise.all([pauses.pause(3_600_000), pauses.pause(3_600_000)])
    pauses.end()
    await waiting // hangs for an hour if a pause goes on
    await pauses.pause(0)
  })
})
