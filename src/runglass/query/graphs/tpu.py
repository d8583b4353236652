"""Which TensorFlow ops TPUs can run, as far as names tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runglass.query.graphs.model import Graph

# Ops that XLA compiles for TPUs, and those that take part in feeding and reading them. As in TensorBoard a fixed list: newer ops may
# be missing.
OPS = """
    Abs Acos Acosh Add AddN AddV2 AdjustContrastv2 AdjustHue AdjustSaturation All AllToAll Angle Any ApproximateEqual
    ArgMax ArgMin Asin Asinh Assert AssignAddVariableOp AssignSubVariableOp AssignVariableOp Atan Atan2 Atanh AvgPool
    AvgPool3D AvgPool3DGrad AvgPoolGrad BatchMatMul BatchMatMulV2 BatchMatMulV3 BatchToSpace BatchToSpaceND BiasAdd
    BiasAddGrad BiasAddV1 Bitcast BitwiseAnd BitwiseOr BitwiseXor BroadcastArgs BroadcastGradientArgs BroadcastTo
    Bucketize Case Cast Ceil CheckNumerics Cholesky ClipByValue CollectivePermute Complex ComplexAbs Concat ConcatOffset
    ConcatV2 Conj ConjugateTranspose Const ControlTrigger Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D
    Conv3DBackpropFilterV2 Conv3DBackpropInputV2 Cos Cosh Cross CrossReplicaSum Cumprod Cumsum CumulativeLogsumexp
    DataFormatDimMap DataFormatVecPermute DepthToSpace DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter
    DepthwiseConv2dNativeBackpropInput Diag DiagPart Digamma Div DivNoNan DynamicStitch Einsum Elu EluGrad Empty
    EmptyTensorList EnsureShape Enter Equal Erf Erfc Erfinv Exit Exp ExpandDims Expm1 ExtractImagePatches FFT FFT2D FFT3D
    FakeParam FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars
    FakeQuantWithMinMaxVarsGradient Fill Floor FloorDiv FloorMod FusedBatchNorm FusedBatchNormGrad FusedBatchNormGradV2
    FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3 Gather GatherNd GatherV2 GetItem Greater GreaterEqual HSVToRGB
    IFFT IFFT2D IFFT3D IRFFT IRFFT2D IRFFT3D Identity IdentityN If Igamma IgammaGradA Igammac Imag InTopKV2 InfeedDequeue
    InfeedDequeueTuple InplaceAdd InplaceUpdate Inv Invert InvertPermutation IsFinite IsInf IsNan IteratorGetNext
    KthOrderStatistic L2Loss LRN LRNGrad LeakyRelu LeakyReluGrad LeftShift Less LessEqual Lgamma LinSpace ListDiff Log
    Log1p LogSoftmax LogicalAnd LogicalNot LogicalOr LoopCond LowerBound MakeUnique MatMul MatrixBandPart MatrixDiag
    MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixInverse MatrixSetDiag
    MatrixSetDiagV2 MatrixSetDiagV3 MatrixSolve MatrixTriangularSolve Max MaxPool MaxPool3D MaxPool3DGrad
    MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad MaxPoolGradGradV2 MaxPoolGradV2 MaxPoolV2 Maximum Mean Merge Min Minimum
    MirrorPad MirrorPadGrad Mod Mul MulNoNan Multinomial Ndtri Neg NextAfter NextIteration NoOp
    NonMaxSuppressionV3 NonMaxSuppressionV4 NotEqual OneHot OnesLike OutfeedEnqueue OutfeedEnqueueTuple Pack Pad PadV2
    ParallelDynamicStitch ParameterizedTruncatedNormal PartitionedCall Placeholder PlaceholderWithDefault PlaceholderV2
    Polygamma PopulationCount Pow PreventGradient Prod Qr QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 RFFT RFFT2D
    RFFT3D RGBToHSV RandomGamma RandomGammaGrad RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt Range
    Rank ReadVariableOp Real RealDiv Reciprocal ReciprocalGrad RecvTPUEmbeddingActivations Relu Relu6 Relu6Grad ReluGrad
    Reshape ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor ResizeNearestNeighborGrad ResourceApplyAdaMax
    ResourceApplyAdadelta ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2 ResourceApplyAdam
    ResourceApplyAddSign ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent
    ResourceApplyKerasMomentum ResourceApplyMomentum ResourceApplyPowerSign ResourceApplyProximalAdagrad
    ResourceApplyProximalGradientDescent ResourceApplyRMSProp ResourceGather ResourceScatterAdd ResourceScatterDiv
    ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd ResourceScatterNdSub
    ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate ResourceStridedSliceAssign Reverse ReverseSequence
    ReverseV2 RightShift Rint RngReadAndSkip RngSkip Roll Round Rsqrt RsqrtGrad ScatterNd Select SelectV2
    SelfAdjointEigV2 Selu SeluGrad SendTPUEmbeddingGradients Shape ShapeN Sigmoid SigmoidGrad Sign Sin Sinh Size Slice
    Snapshot Softmax SoftmaxCrossEntropyWithLogits Softplus SoftplusGrad Softsign SoftsignGrad SpaceToBatch
    SpaceToBatchND SpaceToDepth SparseMatMul SparseSoftmaxCrossEntropyWithLogits SparseToDense Split SplitV Sqrt SqrtGrad
    Square SquaredDifference Squeeze StackCloseV2 StackPopV2 StackPushV2 StackV2 StatefulPartitionedCall
    StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform StatefulUniformFullInt StatefulUniformInt
    StatelessCase StatelessIf StatelessMultinomial StatelessRandomGetAlg StatelessRandomGetKeyCounter
    StatelessRandomGetKeyCounterAlg StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomUniform
    StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformIntV2
    StatelessRandomUniformV2 StatelessTruncatedNormal StatelessTruncatedNormalV2 StatelessWhile StopGradient StridedSlice
    StridedSliceGrad Sub Sum Svd Switch SymbolicGradient TPUEmbeddingActivations TPUReplicateMetadata TPUReplicatedInput
    TPUReplicatedOutput TPUOrdinalSelector TPUPartitionedCall TPUCompilationResult Tan Tanh TanhGrad TensorArrayCloseV3
    TensorArrayConcatV3 TensorArrayGatherV3 TensorArrayGradV3 TensorArrayReadV3 TensorArrayScatterV3 TensorArraySizeV3
    TensorArraySplitV3 TensorArrayV3 TensorArrayWriteV3 TensorListElementShape TensorListFromTensor TensorListGather
    TensorListGetItem TensorListLength TensorListPopBack TensorListPushBack TensorListReserve TensorListSetItem
    TensorListSplit TensorListStack TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub
    TensorScatterUpdate TensorStridedSliceUpdate Tile TopKUnique TopKV2 TopKWithUnique Transpose TridiagonalSolve
    TruncateDiv TruncateMod TruncatedNormal Unique UniqueV2 Unpack UnsortedSegmentMax UnsortedSegmentMin
    UnsortedSegmentProd UnsortedSegmentSum UpperBound VarHandleOp VarIsInitializedOp VariableShape Where While Xdivy
    XlaBroadcastHelper XlaConv XlaConvV2 XlaDequantize XlaDot XlaDotV2 XlaDynamicSlice XlaDynamicUpdateSlice XlaEinsum
    XlaGather XlaHostCompute XlaIf XlaKeyValueSort XlaLaunch XlaPad XlaRecv XlaReduce XlaReduceWindow XlaReplicaId
    XlaScatter XlaSelectAndScatter XlaSelfAdjointEig XlaSend XlaSharding XlaSort XlaSpmdFullToShardShape
    XlaSpmdShardToFullShape XlaSvd XlaVariadicReduce XlaVariadicSort XlaWhile Xlog1py Xlogy ZerosLike Zeta _Arg
    _ArrayToList _ListToArray _Retval
    """
COMPATIBLE = frozenset(OPS.split())
# Graphs of other frameworks have other names of ops.
FORMAT = "GraphDef"


def is_compatible(graph: Graph) -> NDArray[np.bool_] | None:
    """Of each node; None for graphs that TensorFlow did not make. A node that calls a function counts as compatible."""
    if graph.format != FORMAT or not any(name in COMPATIBLE for name in graph.op_names):
        return None
    if any("::" in name for name in graph.op_names):
        return None
    known = np.fromiter((name in COMPATIBLE for name in graph.op_names), np.bool_, len(graph.op_names))
    found: NDArray[np.bool_] = known[graph.ops]
    if graph.calls:
        found[list(graph.calls)] = True
    return found
