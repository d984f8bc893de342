import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes the stubs that the adapters are compiled against where the game is not available: {@code java Stubs table.tsv
 * folder tag,tag}. Each line of the table has tags, a class, a declaration, and the source of the signature. The line
 * whose declaration names a type declares the class; the others are its members. Every method calls {@code
 * stubs.Answers}, which the tests fill.
 */
public final class Stubs {
    private static final class Type {
        String declaration;
        final List<String> members = new ArrayList<>();
        final Map<String, Type> nested = new LinkedHashMap<>();
    }

    public static void main(String[] args) throws IOException {
        Set<String> tags = Set.of(args[2].split(","));
        Map<String, Type> types = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            if (line.isBlank() || line.startsWith("#")) continue;
            String[] cells = line.split("\t");
            if (cells.length != 4) throw new IllegalArgumentException("four cells were expected: " + line);
            if (Arrays.stream(cells[0].split(",")).anyMatch(tags::contains)) add(types, cells[1], cells[2]);
        }
        for (Map.Entry<String, Type> entry : types.entrySet()) write(Path.of(args[1]), entry.getKey(), entry.getValue());
    }

    private static void add(Map<String, Type> types, String name, String declaration) {
        String[] path = name.split("\\$");
        Type type = types.computeIfAbsent(path[0], unused -> new Type());
        for (int index = 1; index < path.length; index++) type = type.nested.computeIfAbsent(path[index], unused -> new Type());
        boolean declares = declaration.matches(".*\\b(class|interface|enum|@interface) .*") && !declaration.contains("(");
        if (declares) type.declaration = declaration;
        else type.members.add(declaration);
    }

    private static void write(Path folder, String name, Type type) throws IOException {
        Path file = folder.resolve(name.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        String text = "package " + name.substring(0, name.lastIndexOf('.')) + ";\n\n" + source(name, type, false);
        Files.writeString(file, text);
    }

    private static String source(String name, Type type, boolean nested) {
        if (type.declaration == null) throw new IllegalArgumentException(name + " is not declared");
        boolean isInterface = type.declaration.contains("interface ");
        StringBuilder out = new StringBuilder(nested && !isInterface ? type.declaration.replace("public ", "public static ") : type.declaration);
        out.append(" {\n");
        for (String member : type.members) out.append("    ").append(member(member, type.declaration)).append('\n');
        for (Map.Entry<String, Type> inner : type.nested.entrySet()) out.append(source(inner.getKey(), inner.getValue(), true));
        return out.append("}\n").toString();
    }

    private static String member(String member, String declaration) {
        boolean isField = !member.contains("(") || member.contains("=");
        boolean isAbstract = declaration.contains("interface ") && !member.startsWith("default ") && !member.startsWith("static ");
        if (declaration.contains("enum ")) return member;
        if (isField || isAbstract) return member + ";";
        String head = member.substring(0, member.indexOf('('));
        String[] words = head.trim().split(" ");
        String method = words[words.length - 1];
        List<String> names = new ArrayList<>();
        int depth = 0;
        StringBuilder parameter = new StringBuilder();
        for (char c : (member.substring(member.indexOf('(') + 1, member.lastIndexOf(')')) + ",").toCharArray()) {
            if (c == '<') depth += 1;
            if (c == '>') depth -= 1;
            if (c != ',' || depth > 0) {
                parameter.append(c);
                continue;
            }
            String text = parameter.toString().trim();
            if (!text.isEmpty()) names.add(text.substring(text.lastIndexOf(' ') + 1));
            parameter.setLength(0);
        }
        boolean isConstructor = words.length < 3 && !head.contains(" void ") && Character.isUpperCase(method.charAt(0));
        String on = isConstructor || head.contains("static ") ? "\"" + method + "\"" : "this";
        if (isConstructor) return member + " {}";
        String call = "stubs.Answers.of(" + on + ", \"" + method + "\", new Object[] {" + String.join(", ", names) + "})";
        if (head.contains("void ")) return member + " { " + call + "; }";
        String type = words[words.length - 2];
        return switch (type) {
            case "boolean" -> member + " { return Boolean.TRUE.equals(" + call + "); }";
            case "int", "long", "float", "double" -> member + " { Object answer = " + call + "; return answer == null ? 0 : ((Number) answer)." + type + "Value(); }";
            default -> "@SuppressWarnings(\"unchecked\") " + member + " { return (" + type + ") " + call + "; }";
        };
    }
}
