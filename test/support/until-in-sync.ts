/** Waits until devices have equal trees, and explains what differs. */
import { eventually } from './scratch.ts'
import {
  describeDifference,
  differences,
  differingNames,
  treeItems,
  type Difference,
  type TreeItem,
} from './tree-compare.ts'
import { FOLDER, scanAll, type FolderStatus, type Member } from './sync-pair.ts'

export interface InSyncOptions {
  readonly limitMs?: number
  /** What only some of them have, because others ignore it. */
  readonly except?: (path: string) => boolean
  /** These are scanned again when it takes long, as they would be every hour. */
  readonly rescan?: readonly Member[]
  /** Called when no member needs anything and the trees differ nevertheless. */
  readonly onDifference?: (different: readonly Difference[]) => Promise<void>
}

const RESCAN_AFTER_MS = 2_000

/** Resolves when all members have all indexes, need nothing, and have equal trees. Returns the duration. */
export async function untilInSync(
  members: readonly Member[],
  { limitMs = 60_000, except, rescan = [], onDifference }: InSyncOptions = {},
): Promise<number> {
  const startedMs = performance.now()
  let scannedMs = startedMs
  await eventually(
    'all members in sync',
    async () => {
      const all = await Promise.all(members.map((member) => member.status()))
      if (all.every((each) => each.state === 'idle' && each.needTotalItems === 0 && isAsLarge(each, all[0]!))) {
        const complete = await Promise.all(members.map((member) => member.hasReceivedAll(members)))
        if (complete.every(Boolean)) {
          const different = differences(
            members.map(({ root }) => root),
            except,
          )
          if (different.length === 0) return true
          await onDifference?.(different)
          return undefined
        }
      }
      if (performance.now() - scannedMs > RESCAN_AFTER_MS) {
        scannedMs = performance.now()
        await scanAll(rescan)
      }
      return undefined
    },
    limitMs,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await explain(members, except)}`, { cause: error })
  })
  return performance.now() - startedMs
}

/** Syncthing 1.x counts 128 bytes for each directory and symlink, newer programs none. */
function isAsLarge(a: FolderStatus, b: FolderStatus): boolean {
  return a.globalFiles === b.globalFiles && (a.globalBytes - b.globalBytes) % 128 === 0
}

/** Fails with the records of every member for the names that differ on the disk of the first. */
export async function assertTree(
  members: readonly Member[],
  expected: ReadonlyMap<string, TreeItem>,
  which: string,
): Promise<void> {
  for (const { root, name } of members) {
    const tree = treeItems(root)
    const wrong = differingNames(tree, expected)
    if (wrong.length === 0) continue
    const lines = wrong.map((path) => describeDifference({ path, items: [tree.get(path), expected.get(path)] }))
    lines.push(...(await viewsOf(members, wrong.slice(0, 5))))
    throw new Error(`${which}: at ${name} is not what was expected:\n${lines.join('\n')}`)
  }
}

async function viewsOf(members: readonly Member[], names: Iterable<string>): Promise<readonly string[]> {
  const lines: string[] = []
  for (const name of names) {
    for (const member of members) {
      const view = await member.get(`/rest/db/file?folder=${FOLDER}&file=${encodeURIComponent(name)}`).catch(String)
      lines.push(`${name} at ${member.name}: ${JSON.stringify(view)}`)
    }
  }
  return lines
}

/** Differences between members, for the report of a failed test. */
async function explain(members: readonly Member[], except: ((path: string) => boolean) | undefined): Promise<string> {
  const different = differences(
    members.map(({ root }) => root),
    except,
  ).slice(0, 20)
  const lines = different.map(describeDifference)
  const names = new Set(different.slice(0, 5).map(({ path }) => path))
  for (const member of members) {
    const { state, needTotalItems, needBytes, globalBytes, globalTotalItems, localTotalItems } = await member.status()
    lines.push(
      `${member.name}: ` +
        `${JSON.stringify({ state, needTotalItems, needBytes, globalBytes, globalTotalItems, localTotalItems })}`,
    )
    lines.push(
      `  errors: ${JSON.stringify(await member.get(`/rest/folder/errors?folder=${FOLDER}`))}`,
      `  output: ${member.output.slice(-1_500)}`,
    )
    const need = (await member.get(`/rest/db/need?folder=${FOLDER}&perpage=5`)) as Record<
      string,
      readonly { readonly name: string }[]
    >
    for (const list of ['progress', 'queued', 'rest']) for (const { name } of need[list] ?? []) names.add(name)
  }
  lines.push(...(await viewsOf(members, names)))
  return lines.join('\n')
}
