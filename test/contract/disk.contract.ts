import { test } from 'node:test'
import type { DiskBench, Spec } from './disk-bench.ts'
import { contentSpecs, openSpecs } from './disk-content.contract.ts'
import { metadataSpecs, odditySpecs } from './disk-metadata.contract.ts'
import { exchangeSpecs, renameSpecs } from './disk-rename.contract.ts'
import { directorySpecs, symlinkSpecs } from './disk-tree.contract.ts'

/** What every Disk owes its callers. */
export function diskContract(name: string, make: () => Promise<DiskBench>): void {
  const spec: Spec = (text, check) => {
    test(`${name}: ${text}`, async () => {
      await using bench = await make()
      using _user = text.endsWith('(unless root)') ? await bench.asOrdinaryUser() : undefined
      await check(bench, bench.disk, bench.root)
    })
  }
  openSpecs(spec)
  contentSpecs(spec)
  directorySpecs(spec)
  renameSpecs(spec)
  exchangeSpecs(spec)
  symlinkSpecs(spec)
  metadataSpecs(spec)
  odditySpecs(spec)
}
