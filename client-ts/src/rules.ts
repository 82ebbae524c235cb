import type { components } from "./openapi.js";

export type Operator = components["schemas"]["Operator"];
export type Order = components["schemas"]["Order"];
export type Rule = components["schemas"]["WhereEntry"];
export type Scalar = string | number | boolean;

/** Return a rule on a member of contents; In, NotIn and Between take several values.
 *
 * Throws TypeError for a missing value, or a comma in one of several.
 */
export function where(column: string, operator: Operator, value?: Scalar | readonly Scalar[]): Rule {
  if (value === undefined) {
    if (operator !== "IsNull") {
      throw new TypeError(`A rule with ${operator} needs a value; for no value at all there is IsNull.`);
    }
    return { column, operator };
  }
  if (Array.isArray(value) && value.some((each) => String(each).includes(","))) {
    throw new TypeError("A value with a comma cannot be one of several: the interface joins them by commas.");
  }
  return { column, operator, value: String(value) };
}

/** Return a rule that matches if at least one of the rules matches. */
export function anyOf(...rules: Rule[]): Rule {
  return { any: rules };
}

/** Return a rule that matches if all of the rules match. */
export function allOf(...rules: Rule[]): Rule {
  return { all: rules };
}

/** Return a rule that matches if the given rule does not. */
export function not(rule: Rule): Rule {
  return { not: rule };
}

/** Return a rule that sorts by a member of contents. */
export function order(column: string, { desc = false } = {}): Order {
  return { column, desc };
}
