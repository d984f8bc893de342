import {
  type Expression,
  type FunctionDeclaration,
  type Identifier,
  parse,
  type Statement,
} from "luaparse";

/** Words of the language, and the parameter that Lua adds to methods. */
const RESERVED =
  "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while";

interface Scope {
  readonly names: Map<string, Local>;
  readonly parent: Scope | undefined;
  /** Locals that are visible inside it. */
  count: number;
}

interface Local {
  /** How many other locals are visible where it is declared: siblings in other blocks share a name. */
  readonly index: number;
  readonly uses: number[];
}

/**
 * Short names for the local variables of a chunk, by the offsets at which they are written. Two locals have the same
 * name only where neither is visible to the other; globals and fields keep theirs.
 * @param parameters globals that are given to the chunk as locals; their short names are returned in this order
 */
export function localNames(
  source: string,
  parameters: readonly string[] = [],
): { readonly at: ReadonlyMap<number, string>; readonly parameters: readonly string[] } {
  const locals: Local[] = [];
  const taken = new Set(RESERVED.split(" "));
  let scope: Scope = { names: new Map(), parent: undefined, count: 0 };

  const declareName = (name: string): Local => {
    const local = { index: scope.count, uses: [] };
    scope.count += 1;
    scope.names.set(name, local);
    locals.push(local);
    return local;
  };
  const declare = (identifier: Identifier) => {
    declareName(identifier.name).uses.push(offsetOf(identifier));
  };
  const use = (identifier: Identifier) => {
    for (let each: Scope | undefined = scope; each !== undefined; each = each.parent) {
      const local = each.names.get(identifier.name);
      if (local !== undefined) return void local.uses.push(offsetOf(identifier));
    }
    taken.add(identifier.name);
  };
  const inScope = (run: () => void) => {
    scope = { names: new Map(), parent: scope, count: scope.count };
    run();
    scope = scope.parent as Scope;
  };
  const block = (body: Statement[]) => inScope(() => body.forEach(statement));
  const functionBody = ({ identifier, parameters, body }: FunctionDeclaration) =>
    inScope(() => {
      const isMethod = identifier?.type === "MemberExpression" && identifier.indexer === ":";
      if (isMethod) scope.names.set("self", { index: -1, uses: [] });
      for (const each of parameters) if (each.type === "Identifier") declare(each);
      body.forEach(statement);
    });

  function expression(node: Expression | null): void {
    switch (node?.type) {
      case "Identifier":
        return use(node);
      case "FunctionDeclaration":
        return functionBody(node);
      case "MemberExpression":
        return expression(node.base);
      case "IndexExpression":
        expression(node.base);
        return expression(node.index);
      case "CallExpression":
        expression(node.base);
        return node.arguments.forEach(expression);
      case "TableCallExpression":
        expression(node.base);
        return expression(node.arguments);
      case "StringCallExpression":
        return expression(node.base);
      case "TableConstructorExpression":
        for (const field of node.fields) {
          if (field.type === "TableKey") expression(field.key);
          expression(field.value);
        }
        return;
      case "BinaryExpression":
      case "LogicalExpression":
        expression(node.left);
        return expression(node.right);
      case "UnaryExpression":
        return expression(node.argument);
      default:
    }
  }

  function statement(node: Statement): void {
    switch (node.type) {
      case "LocalStatement":
        node.init.forEach(expression);
        return node.variables.forEach(declare);
      case "AssignmentStatement":
        node.init.forEach(expression);
        return node.variables.forEach(expression);
      case "CallStatement":
        return expression(node.expression);
      case "FunctionDeclaration":
        if (node.isLocal) declare(node.identifier as Identifier);
        else expression(node.identifier);
        return functionBody(node);
      case "IfStatement":
        for (const clause of node.clauses) {
          if (clause.type !== "ElseClause") expression(clause.condition);
          block(clause.body);
        }
        return;
      case "WhileStatement":
        expression(node.condition);
        return block(node.body);
      case "RepeatStatement":
        return inScope(() => {
          node.body.forEach(statement);
          expression(node.condition);
        });
      case "DoStatement":
        return block(node.body);
      case "ForNumericStatement":
        for (const each of [node.start, node.end, node.step]) expression(each);
        return inScope(() => {
          declare(node.variable);
          node.body.forEach(statement);
        });
      case "ForGenericStatement":
        node.iterators.forEach(expression);
        return inScope(() => {
          node.variables.forEach(declare);
          node.body.forEach(statement);
        });
      case "ReturnStatement":
        return node.arguments.forEach(expression);
      default:
    }
  }

  const given = parameters.map(declareName);
  parse(source, { luaVersion: "5.2", ranges: true, comments: false }).body.forEach(statement);
  const names = shortNames(taken, 1 + Math.max(-1, ...locals.map(({ index }) => index)));
  const nameOf = ({ index }: Local) => names[index] as string;
  return {
    at: new Map(locals.flatMap((local) => local.uses.map((offset) => [offset, nameOf(local)]))),
    parameters: given.map(nameOf),
  };
}

/** The types of luaparse lack what the option `ranges` adds. */
function offsetOf(identifier: Identifier): number {
  return (identifier as Identifier & { range: [number, number] }).range[0];
}

const FIRST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
const LATER = `${FIRST}0123456789`;

/** The shortest names that are not taken. */
function shortNames(taken: ReadonlySet<string>, count: number): string[] {
  const names: string[] = [];
  let candidates = [...FIRST];
  while (names.length < count) {
    names.push(...candidates.filter((name) => !taken.has(name)));
    candidates = candidates.flatMap((name) => [...LATER].map((letter) => name + letter));
  }
  return names.slice(0, count);
}
