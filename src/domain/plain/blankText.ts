/** Neither white space nor a character that only changes how others look, such as a joiner. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u

export const isBlank = (text: string): boolean => !visible.test(text)
