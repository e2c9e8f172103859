/** The name of a user in the templates of the configuration, where `%s` stands for it. */

const PLACE = '%s'

/** The name that the connection is bound to. */
export function bindName(template: string, username: string): string {
  return template.replaceAll(PLACE, () => escapeInName(username))
}

/** The filter that must find exactly one entry. */
export function searchFilter(template: string, username: string): string {
  return template.replaceAll(PLACE, () => escapeInFilter(username))
}

/** As a value in a distinguished name (RFC 4514): a user name cannot add parts to it. */
function escapeInName(text: string): string {
  return text
    .replace(/[,+"\\<>;=]/g, '\\$&')
    .replace(/^[ #]/, '\\$&')
    .replace(/ $/, '\\ ')
    .replaceAll('\0', '\\00')
}

/** As a value in a filter (RFC 4515): a user name cannot add conditions or match others. */
function escapeInFilter(text: string): string {
  return text.replace(/[\\*()\0]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
