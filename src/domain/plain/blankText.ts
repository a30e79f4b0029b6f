/** What can be seen: neither white space nor a character that only changes how others look, such as a joiner. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u

/** Whether a text has nothing that can be seen. A joiner or a variation selector within an emoji stands beside what can. */
export const isBlank = (text: string): boolean => !visible.test(text)
