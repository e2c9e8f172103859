import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addPeer, inSync, type Member } from '../support/daemon-pair.ts'
import { eventually } from '../support/scratch.ts'
import { treeItems } from '../support/tree-compare.ts'
import { windowsPath } from '../support/windows.ts'

export const FOLDER = 'docs'
/** Windows stores times in steps of 100 ns. */
const STEP_NS = 1_000n

export function put(root: string, name: string, content: string | Buffer, seconds = 1_700_000_000): void {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, seconds, seconds + 0.25)
}

/** Names whose type, content or time differs; Windows has no permission bits. */
export function differing(a: string, b: string): readonly string[] {
  const [left, right] = [treeItems(a), treeItems(b)]
  return [...new Set([...left.keys(), ...right.keys()])].filter((name) => {
    const [one, other] = [left.get(name), right.get(name)]
    if (one === undefined || other === undefined) return true
    if (one.type !== other.type || one.content !== other.content) return true
    const apartNs = one.modifiedNs - other.modifiedNs
    return one.type === 'file' && (apartNs > STEP_NS || apartNs < -STEP_NS)
  })
}

/** Adds both devices to each other and shares the folder. */
export async function share(
  windows: Member,
  linux: Member,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  for (const [self, peer] of [
    [windows, linux],
    [linux, windows],
  ] as const) {
    await addPeer(self, peer)
    const path = self === windows ? windowsPath(self.root) : self.root
    await self.daemon.addFolder(FOLDER, path, { devices: [{ deviceID: peer.id }], ...more })
  }
}

export async function scan({ daemon }: Member): Promise<void> {
  await daemon.post(`/rest/db/scan?folder=${FOLDER}`)
}

/** Errors of items, by name. */
export async function itemErrors({ daemon }: Member): Promise<ReadonlyMap<string, string>> {
  const { errors } = (await daemon.get(`/rest/folder/errors?folder=${FOLDER}`)) as {
    readonly errors: readonly { readonly path: string; readonly error: string }[] | null
  }
  return new Map((errors ?? []).map(({ path, error }) => [path, error]))
}

/** Resolves when both trees are equal, except for these names, and nothing is needed. */
export async function untilEqual(members: readonly [Member, Member], limitMs = 60_000): Promise<void> {
  const [a, b] = members
  await eventually('equal trees', () => (differing(a.root, b.root).length === 0 ? true : undefined), limitMs).catch(
    async (error: unknown) => {
      const errors = await Promise.all(members.map(async (each) => [...(await itemErrors(each))]))
      throw new Error(`${String(error)}: ${JSON.stringify({ differing: differing(a.root, b.root), errors }, null, 1)}`)
    },
  )
  await inSync(members, limitMs)
}
