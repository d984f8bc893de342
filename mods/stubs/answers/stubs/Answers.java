package stubs;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;

/** The return values of the stubs. Unless a test sets them they are null, 0 or false. */
public final class Answers {
    private static final Map<Object, Map<String, Object>> OF = Collections.synchronizedMap(new IdentityHashMap<>());

    private Answers() {}

    /** Sets return values of a stub: alternating method names and values. A Function gets the arguments. */
    public static <T> T set(T stub, Object... namesAndValues) {
        Map<String, Object> answers = OF.computeIfAbsent(stub, unused -> Collections.synchronizedMap(new HashMap<>()));
        for (int index = 0; index < namesAndValues.length; index += 2) answers.put((String) namesAndValues[index], namesAndValues[index + 1]);
        return stub;
    }

    /** The return value of a static method, by its name. */
    public static void setStatic(String method, Object answer) {
        set(method.intern(), method, answer);
    }

    @SuppressWarnings("unchecked")
    public static Object of(Object stub, String method, Object[] arguments) {
        Object key = stub instanceof String name ? name.intern() : stub;
        Object answer = OF.getOrDefault(key, Map.of()).get(method);
        return answer instanceof Function ? ((Function<Object[], Object>) answer).apply(Arrays.copyOf(arguments, arguments.length)) : answer;
    }
}
