"""tf.keras.optimizers: rules that change variables."""
import sluice as tf
from sluice import _keras_backend as backend
from sluice._api import export
from sluice._optimizers import Optimizer as _TrainOptimizer


def _export(*names):
    return export(*["keras.optimizers." + name for name in names])


@_export("Optimizer")
class Optimizer:
    """A subclass has _rule(gradient, variable, rate, step), which makes the operations of one variable."""

    def __init__(self, learning_rate=0.01, name=None, lr=None, decay=0.0, clipnorm=None, clipvalue=None, **kwargs):
        if kwargs:
            raise TypeError("Unexpected keyword argument passed to optimizer: %s" % next(iter(kwargs)))
        self._given, self.initial_decay = learning_rate if lr is None else lr, decay
        self._name, self.clipnorm, self.clipvalue = name or type(self).__name__, clipnorm, clipvalue
        self._variables, self._slots, self._graph = {}, {}, None
        self.weights = []

    def _variable(self, name, value, dtype=None):
        graph = tf.get_default_graph()
        if self._graph is not graph:  # cleared since
            self._graph, self._variables, self._slots, self.weights = graph, {}, {}, []
        if name not in self._variables:
            with graph.control_dependencies(None), tf.name_scope("training/%s/" % self._name):
                self._variables[name] = tf.Variable(value, trainable=False, name=name, dtype=dtype, use_resource=True)
                self.weights.append(self._variables[name])
        return self._variables[name]

    lr = property(lambda self: self._rate_of(), lambda self, value: backend.set_value(self._rate_of(), value))
    learning_rate = lr
    iterations = property(lambda self: self._variable("iter", 0, tf.int64))

    def _rate_of(self):
        if callable(self._given) or hasattr(self._given, "op"):
            return self._given
        return self._variable("learning_rate", float(self._given), tf.float32)

    def _slot(self, variable, name, value=0.0):
        key = variable.name, name
        if self._graph is not tf.get_default_graph() or key not in self._slots:
            made = self._variable("%s/%s" % (variable.op.name, name), tf.fill(variable.shape.as_list(), float(value)),
                                  tf.float32)
            self._slots[key] = made
        return self._slots[key]

    def get_gradients(self, loss, params):
        gradients = tf.gradients(loss, params)
        for gradient, variable in zip(gradients, params):
            if gradient is None:
                raise ValueError("Variable %s has `None` for gradient. Please make sure that all of your ops have a gradient "
                                 "defined (i.e. are differentiable)." % variable.name)
        return self._clipped(gradients)

    def _clipped(self, gradients):
        if self.clipnorm is not None:
            gradients = [None if g is None else tf.clip_by_norm(g, self.clipnorm) for g in gradients]
        if self.clipvalue is not None:
            gradients = [None if g is None else tf.clip_by_value(g, -self.clipvalue, self.clipvalue) for g in gradients]
        return gradients

    def apply_gradients(self, grads_and_vars, name=None, global_step=None):
        """An operation that changes the variables."""
        pairs = [(tf.convert_to_tensor(g), v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        rate = self._rate_of()
        rate = tf.convert_to_tensor(rate() if callable(rate) else rate)
        before = tf.identity(self.iterations)
        if self.initial_decay:
            rate = rate / (1.0 + self.initial_decay * tf.cast(before, tf.float32))
        step = tf.cast(before, tf.float32) + 1.0
        ops = []
        for gradient, variable in pairs:
            new = self._rule(gradient, variable, rate, step)
            constraint = getattr(variable, "constraint", None)
            ops.append(tf.assign(variable, constraint(new) if constraint is not None else new).op)
        with tf.control_dependencies(ops):
            return tf.assign_add(self.iterations, 1).op

    def get_updates(self, loss, params):
        return [self.apply_gradients(zip(self.get_gradients(loss, params), params))]

    def minimize(self, loss, var_list=None, grad_loss=None, name=None):
        loss = loss() if callable(loss) else loss
        variables = var_list or tf.trainable_variables()
        gradients = self._clipped(tf.gradients(loss, variables, grad_ys=grad_loss))
        return self.apply_gradients(zip(gradients, variables))

    def get_config(self):
        return {"name": self._name, "learning_rate": self._given, "decay": self.initial_decay}

    def get_weights(self):
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights):
        backend.batch_set_value(list(zip(self.weights, weights)))


@_export("SGD")
class SGD(Optimizer):
    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name="SGD", **kwargs):
        super().__init__(learning_rate, name, **kwargs)
        self.momentum, self.nesterov = momentum, nesterov

    def _rule(self, g, v, rate, step):
        if not self.momentum:
            return v - rate * g
        speed = self._slot(v, "momentum")
        new = tf.assign(speed, self.momentum * speed - rate * g)
        return v + self.momentum * new - rate * g if self.nesterov else v + new


@_export("RMSprop")
class RMSprop(Optimizer):
    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, name="RMSprop", **kwargs):
        super().__init__(learning_rate, name, **kwargs)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon or 1e-7, centered

    def _rule(self, g, v, rate, step):
        squares = self._slot(v, "rms")
        mean = tf.assign(squares, self.rho * squares + (1.0 - self.rho) * tf.square(g))
        if self.centered:
            average = self._slot(v, "mg")
            mean = mean - tf.square(tf.assign(average, self.rho * average + (1.0 - self.rho) * g))
        change = rate * g / (tf.sqrt(mean) + self.epsilon)
        if self.momentum:
            speed = self._slot(v, "momentum")
            change = tf.assign(speed, self.momentum * speed + change)
        return v - change


@_export("Adagrad")
class Adagrad(Optimizer):
    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, name="Adagrad", **kwargs):
        super().__init__(learning_rate, name, **kwargs)
        self.epsilon, self._initial = epsilon or 1e-7, initial_accumulator_value

    def _rule(self, g, v, rate, step):
        total = self._slot(v, "accumulator", self._initial)
        return v - rate * g / (tf.sqrt(tf.assign(total, total + tf.square(g))) + self.epsilon)


@_export("Adadelta")
class Adadelta(Optimizer):
    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, name="Adadelta", **kwargs):
        super().__init__(learning_rate, name, **kwargs)
        self.rho, self.epsilon = rho, epsilon or 1e-7

    def _rule(self, g, v, rate, step):
        squares, changes = self._slot(v, "accum_grad"), self._slot(v, "accum_var")
        mean = tf.assign(squares, self.rho * squares + (1.0 - self.rho) * tf.square(g))
        change = g * tf.sqrt(changes + self.epsilon) / tf.sqrt(mean + self.epsilon)
        with tf.control_dependencies([change]):
            kept = tf.assign(changes, self.rho * changes + (1.0 - self.rho) * tf.square(change))
        with tf.control_dependencies([kept]):
            return v - rate * change


class _Moments(Optimizer):
    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name=None, **kwargs):
        super().__init__(learning_rate, name, **kwargs)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon or 1e-7

    def _first(self, g, v):
        m = self._slot(v, "m")
        return tf.assign(m, self.beta_1 * m + (1.0 - self.beta_1) * g)

    def _second(self, g, v):
        s = self._slot(v, "v")
        return tf.assign(s, self.beta_2 * s + (1.0 - self.beta_2) * tf.square(g))


@_export("Adam")
class Adam(_Moments):
    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, name="Adam", **kwargs):
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        self.amsgrad = amsgrad

    def _rule(self, g, v, rate, step):
        rate = rate * tf.sqrt(1.0 - tf.pow(self.beta_2, step)) / (1.0 - tf.pow(self.beta_1, step))
        m, s = self._first(g, v), self._second(g, v)
        if self.amsgrad:
            most = self._slot(v, "vhat")
            s = tf.assign(most, tf.maximum(most, s))
        return v - rate * m / (tf.sqrt(s) + self.epsilon)


@_export("Adamax")
class Adamax(_Moments):
    def _rule(self, g, v, rate, step):
        m, most = self._first(g, v), self._slot(v, "v")
        u = tf.assign(most, tf.maximum(self.beta_2 * most, tf.abs(g)))
        return v - rate / (1.0 - tf.pow(self.beta_1, step)) * m / (u + self.epsilon)


@_export("Nadam")
class Nadam(_Moments):
    def _rule(self, g, v, rate, step):
        def momentum(at):
            return self.beta_1 * (1.0 - 0.5 * tf.pow(0.96, at * 0.004))
        now, then = momentum(step), momentum(step + 1.0)
        product = self._variable("momentum_cache_%s" % v.op.name, 1.0, tf.float32)
        all_now = tf.assign(product, product * now)
        m, s = self._first(g, v), self._second(g, v)
        mean = (1.0 - now) * g / (1.0 - all_now) + then * m / (1.0 - all_now * then)
        return v - rate * mean / (tf.sqrt(s / (1.0 - tf.pow(self.beta_2, step))) + self.epsilon)


class TFOptimizer(Optimizer):
    """An optimizer of tf.train in a Keras model."""

    def __init__(self, optimizer):
        super().__init__(0.0, "TFOptimizer")
        self.optimizer = optimizer

    @property
    def lr(self):
        for name in "_lr", "_learning_rate":
            if hasattr(self.optimizer, name):
                return getattr(self.optimizer, name)
        raise AttributeError("lr")

    def apply_gradients(self, grads_and_vars, name=None, global_step=None):
        return self.optimizer.apply_gradients(list(grads_and_vars), global_step=global_step)


_KINDS = {kind.__name__.lower(): kind for kind in (SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam)}


@_export("get")
def optimizer_of(identifier):
    """An optimizer from one, its name, or one of tf.train."""
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, _TrainOptimizer):
        return TFOptimizer(identifier)
    if isinstance(identifier, str) and identifier.lower() in _KINDS:
        return _KINDS[identifier.lower()]()
    raise ValueError("Could not interpret optimizer identifier: %s" % (identifier,))
