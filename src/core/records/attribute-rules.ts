import {
  areSameAttributes,
  inOrder,
  linuxAttributesOf,
  withLinuxAttributes,
  type AttributeFilter,
  type AttributeList,
} from '../attributes/attributes.ts'
import type { AttributeRules } from './change.ts'
import type { FileHead } from './file-info.ts'
import type { ShortId } from '../ids.ts'

export interface AttributeRulesOptions {
  readonly filter: AttributeFilter
  readonly ownShortId: ShortId
  /** Items get the attributes that others name. */
  readonly synced: boolean
}

/** How attributes count where a folder tells them. */
export function attributeRules({ filter, ownShortId, synced }: AttributeRulesOptions): AttributeRules {
  return {
    /** What somebody else says counts only where it is set here: else two devices would tell each other for ever. */
    differ(record, attributes) {
      const isOwn = record.modifiedBy === ownShortId
      if (!isOwn && !synced) return false
      const told = linuxAttributesOf(record.platform)
      if (told === undefined) return isOwn || attributes.length > 0
      const permitted = filter.permitted(told)
      return permitted !== 'too-large' && !areSameAttributes(permitted, attributes)
    },
    /** What we are not to deal with stays as others told it. */
    platformWith(platform, attributes) {
      const others = (linuxAttributesOf(platform) ?? []).filter(({ name }) => !filter.permitsName(name))
      return withLinuxAttributes(platform, inOrder([...others, ...attributes]))
    },
  }
}

/**
 * What others say of an item and our disk does not show: they told it before attributes were set here. Undefined where
 * the item has a record of ours, or they say more than we take.
 */
export function attributesLacking(
  record: FileHead,
  attributes: AttributeList,
  { filter, ownShortId }: Pick<AttributeRulesOptions, 'filter' | 'ownShortId'>,
): AttributeList | undefined {
  const told = record.deleted || record.modifiedBy === ownShortId ? undefined : linuxAttributesOf(record.platform)
  const permitted = told && filter.permitted(told)
  if (permitted === undefined || permitted === 'too-large') return undefined
  const here = new Set(attributes.map(({ name }) => name))
  const lacking = permitted.filter(({ name }) => !here.has(name))
  return lacking.length === 0 ? undefined : lacking
}
